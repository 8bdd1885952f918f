// dTable[v,:] += Σ_j dy[order[j],:] over the occurrences j of token v; gathering needs no atomics.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.vocab * params.dim) { return; }
  let token = i / params.dim;
  let d = i - token * params.dim;
  var sum = 0.0;
  for (var j = starts[token]; j < starts[token + 1u]; j++) { sum += dy[order[j] * params.dim + d]; }
  dTable[i] = dTable[i] + sum;
}
