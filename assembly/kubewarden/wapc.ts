// What a waPC host gives to its guests. The compiler names the imported module after this file: `wapc`. The guest imports
// nothing else.

/** Writes the name of the operation and its payload to these places. */
export declare function __guest_request(operation: usize, payload: usize): void;
export declare function __guest_response(place: usize, length: i32): void;
export declare function __guest_error(place: usize, length: i32): void;
/** 1 when the call succeeded, 0 when it failed. */
export declare function __host_call(
  binding: usize,
  bindingLength: i32,
  namespace: usize,
  namespaceLength: i32,
  operation: usize,
  operationLength: i32,
  payload: usize,
  payloadLength: i32,
): i32;
export declare function __host_response_len(): i32;
export declare function __host_response(place: usize): void;
export declare function __host_error_len(): i32;
export declare function __host_error(place: usize): void;
