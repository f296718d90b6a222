// The pool of connections of undici, without the rest of it: fetch, WebSockets, caches and mocks are two thirds of the
// package, and a program that loads them keeps them in memory.

import api from 'undici/lib/api/index.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

// As the package does where it is loaded as a whole: it gives a pool its `request`.
Object.assign(Dispatcher.prototype, api);

export { default as Pool } from 'undici/lib/dispatcher/pool.js';
