// AssemblyScript helpers: the fields of a run of rows (contract/delta.ts): (from, to, before, after, children), five words. A run without an
// initial state has before = −1.
export const RUN_BYTES: usize = 20;

@inline
export function runFrom(run: usize): i32 {
  return load<i32>(run);
}

@inline
export function runTo(run: usize): i32 {
  return load<i32>(run, 4);
}

@inline
export function runBefore(run: usize): i32 {
  return load<i32>(run, 8);
}

@inline
export function runAfter(run: usize): i32 {
  return load<i32>(run, 12);
}

@inline
export function runChildren(run: usize): i32 {
  return load<i32>(run, 16);
}
