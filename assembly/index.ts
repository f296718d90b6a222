export * from './direct/json';
