// Parts of undici that are loaded by themselves (pool.ts): the package has types for the whole only.

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  export { Dispatcher as default } from 'undici';
}

declare module 'undici/lib/api/index.js' {
  const api: Record<string, unknown>;
  export default api;
}
