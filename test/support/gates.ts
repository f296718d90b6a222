// The gates under which the corpus was recorded.
import { gateTable } from '../../api/gates.ts';

const OFF = ['EnableExternalCerts', 'TemplateNoDefaults'];

/** Every gate on, but for two. */
export const RECORDED_GATES: Record<string, boolean> = Object.fromEntries(
  gateTable.map(({ name }) => [name, !OFF.includes(name)]),
);

/** The same as the text of a flag. */
export const RECORDED_GATES_FLAG = `AllAlpha=true,AllBeta=true,${OFF.map((name) => `${name}=false`).join(',')}`;
