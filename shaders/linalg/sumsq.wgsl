// out[outOff] = Σ x[off..+n]², in two passes without a barrier: LANES invocations each sum every LANES-th element into
// `scratch`, then one invocation adds the lanes in ascending order. LANES is fixed, so the order depends on n alone.
const LANES = 1024u;

@compute @workgroup_size(64)
fn lanes(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  for (var i = id.x; i < params.n; i += LANES) {
    let value = x[params.off + i];
    sum += value * value;
  }
  scratch[id.x] = sum;
}

@compute @workgroup_size(1)
fn fold() {
  var sum = vec4f();
  for (var i = 0u; i < LANES; i += 4u) {
    sum += vec4f(scratch[i], scratch[i + 1u], scratch[i + 2u], scratch[i + 3u]);
  }
  out[params.outOff] = (sum.x + sum.y) + (sum.z + sum.w);
}
