// What is said when an address cannot be listened on: the flag that gave it, the address, and what is wrong with it.

/** An address to listen on, and where it comes from. */
export type ListenAddress = {
  readonly host: string;
  readonly port: number;
  /** The flags that named the port and the host, without dashes. */
  readonly flag: string;
  readonly hostFlag: string;
};

/** Resolves as `open` does. Rejects with an error that names flag and address, and has the `code` and `syscall` of the system's. */
export async function listening<Opened>(address: ListenAddress, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    const fault = faultOf(code, address);
    if (fault === undefined) throw error;
    throw Object.assign(new Error(fault, { cause: error }), { code, syscall: syscall ?? 'listen' });
  }
}

function faultOf(code: string | undefined, { host, port, flag, hostFlag }: ListenAddress): string | undefined {
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return `--${flag}: ${at} is taken by another program`;
    case 'EACCES':
    case 'EPERM':
      return `--${flag}: this user has no right to listen on ${at}`;
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return `--${hostFlag}: ${host} is no address of this machine`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `--${hostFlag}: expected an address of this machine, got ${JSON.stringify(host)}`;
    default:
      return undefined;
  }
}
