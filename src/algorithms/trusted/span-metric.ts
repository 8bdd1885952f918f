// Adam's metric for a span of gradients (docs/arena.md, "Trusted subspace"). Adam divides gradients element-wise by √v̂ + ε, so the gradients
// are divided in the same way before their span is computed. v̂ is that of the run's optimizer (adamw.ts, divisorOf); before its first step
// it is the gradients' own mean square.

/** √(mean over the gradients of g²) + ε. */
export function ownDivisor(gradients: readonly Float32Array[], adamEps: number): Float32Array {
  const squares = new Float64Array(gradients[0].length);
  for (const gradient of gradients) for (let i = 0; i < squares.length; i++) squares[i] += gradient[i] * gradient[i];
  return Float32Array.from(squares, (sum) => Math.sqrt(sum / gradients.length) + adamEps);
}

/** Divides in place. */
export function divideBy(gradients: readonly Float32Array[], divisor: Float32Array): void {
  for (const gradient of gradients) for (let i = 0; i < divisor.length; i++) gradient[i] /= divisor[i];
}
