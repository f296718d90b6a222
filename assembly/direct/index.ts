// The module for direct tests of json/ and object/: never shipped.

import '../json/stop';

export * from './json';
export * from './object';
