// Makes one round of one-sided Jacobi on disjoint pairs of rows of a [n, m] and v [n, nv] (src/kernels/contract/ has the formulae).

// Returns (c, s) of the rotation, and the measure |γ|/√(αβ) before it; c = 1 and s = 0 if the rows are orthogonal enough.
fn rotation(alpha: f32, beta: f32, gamma: f32) -> vec3f {
  // √α·√β is used rather than √(αβ), and γ is not squared, since small singular values would underflow.
  let norm = sqrt(alpha) * sqrt(beta);
  if (!(norm > 0.0)) { return vec3f(1.0, 0.0, 0.0); }
  let measure = abs(gamma) / norm;
  if (!(measure > params.tol)) { return vec3f(1.0, 0.0, measure); }
  let zeta = (beta - alpha) / (2.0 * gamma);
  // Beyond |ζ| = 1e18 the square overflows; there √(1+ζ²) = |ζ|.
  let size = abs(zeta);
  let root = select(sqrt(1.0 + zeta * zeta), size, size > 1e18);
  let t = select(-1.0, 1.0, zeta >= 0.0) / (size + root);
  let c = 1.0 / sqrt(1.0 + t * t);
  return vec3f(c, c * t, measure);
}

// One invocation per pair.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = flat(id, groups);
  if (i >= params.count) { return; }
  let row = pairs[(params.pairOff + i) * 2u];
  let other = pairs[(params.pairOff + i) * 2u + 1u];
  var alpha = 0.0;
  var beta = 0.0;
  var gamma = 0.0;
  for (var j = 0u; j < params.m; j++) {
    let x = a[row * params.m + j];
    let y = a[other * params.m + j];
    alpha += x * x;
    beta += y * y;
    gamma += x * y;
  }
  let turn = rotation(alpha, beta, gamma);
  off[params.pairOff + i] = turn.z;
  if (turn.y == 0.0) { return; }
  for (var j = 0u; j < params.m; j++) {
    let x = a[row * params.m + j];
    let y = a[other * params.m + j];
    a[row * params.m + j] = turn.x * x - turn.y * y;
    a[other * params.m + j] = turn.y * x + turn.x * y;
  }
  for (var j = 0u; j < params.nv; j++) {
    let x = v[row * params.nv + j];
    let y = v[other * params.nv + j];
    v[row * params.nv + j] = turn.x * x - turn.y * y;
    v[other * params.nv + j] = turn.y * x + turn.x * y;
  }
}

// One workgroup per pair. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let i = nth_group(here.wid, here.groups);
  let live = i < params.count;
  let at = (params.pairOff + select(0u, i, live)) * 2u;
  let row = pairs[at];
  let other = pairs[at + 1u];
  var sum = vec3f();
  if (live) {
    for (var j = lane; j < params.m; j += 64u) {
      let x = a[row * params.m + j];
      let y = a[other * params.m + j];
      sum += vec3f(x * x, y * y, x * y);
    }
  }
  let total = tree_sum(here, sum);
  if (!live) { return; }
  let turn = rotation(total.x, total.y, total.z);
  if (lane == 0u) { off[params.pairOff + i] = turn.z; }
  if (turn.y == 0.0) { return; }
  for (var j = lane; j < params.m; j += 64u) {
    let x = a[row * params.m + j];
    let y = a[other * params.m + j];
    a[row * params.m + j] = turn.x * x - turn.y * y;
    a[other * params.m + j] = turn.y * x + turn.x * y;
  }
  for (var j = lane; j < params.nv; j += 64u) {
    let x = v[row * params.nv + j];
    let y = v[other * params.nv + j];
    v[row * params.nv + j] = turn.x * x - turn.y * y;
    v[other * params.nv + j] = turn.y * x + turn.x * y;
  }
}
