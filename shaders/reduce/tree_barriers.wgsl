// Sums over a workgroup in pairs: i and i + half, half = WIDTH/2 … 1. Every invocation calls tree_sum once, and gets the sum. Needs WIDTH, the
// invocations of a workgroup (a power of two), and Sum, the type of a term.
struct Place {
  @builtin(local_invocation_id) lid: vec3u,
  @builtin(workgroup_id) wid: vec3u,
  @builtin(num_workgroups) groups: vec3u,
}

var<workgroup> terms: array<Sum, WIDTH>;

fn tree_sum(here: Place, term: Sum) -> Sum {
  terms[here.lid.x] = term;
  for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (here.lid.x < half) { terms[here.lid.x] += terms[here.lid.x + half]; }
  }
  workgroupBarrier();
  return terms[0];
}
