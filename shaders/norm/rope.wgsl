// Rotate-half in place on x [rows, heads, headDim]; one invocation per pair (i, i + headDim/2). The angles come from tables:
// software adapters are off by 2e-4 in sin and cos at large arguments.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let half = params.headDim / 2u;
  let item = flat(id, groups);
  if (item >= params.rows * params.heads * half) { return; }
  let head = item / half; // row · heads + head
  let i = item - head * half;
  let angle = (pos[head / params.heads] + params.shift) * half + i;
  let c = cos[angle];
  var s = sin[angle];
  if (params.inverse != 0u) { s = -s; }
  let at = head * (params.headDim + params.rest) + i;
  let first = x[at];
  let second = x[at + half];
  x[at] = first * c - second * s;
  x[at + half] = second * c + first * s;
}
