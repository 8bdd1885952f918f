// Reads a run of rows; src/kernels/contract/delta.ts has the meaning of its fields.
const NONE = 0xffffffffu;

struct Run { start: u32, end: u32, before: u32, after: u32, children: u32 }

fn run_at(index: u32) -> Run {
  let at = (params.runOff + index) * 5u;
  return Run(runs[at], runs[at + 1u], runs[at + 2u], runs[at + 3u], runs[at + 4u]);
}
