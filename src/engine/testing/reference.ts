// A simple reference decoder in double precision, one sequence at a time. Tests compare the engine's packed forward pass with it; the
// two share no code except the names of the weights.
import type { ModelConfig, Weights } from '../types.ts';

type Rows = number[][];

/** Residual stream [tokens][hiddenSize] after each layer. `rope` describes scaled RoPE: radians per position of each pair of
 *  dimensions, and the factor of cos and sin. */
export function residualStream(
  config: ModelConfig,
  weights: Weights,
  ids: readonly number[],
  rope?: { frequencies: readonly number[]; length: number },
): Rows[] {
  const { layers, heads, kvHeads, headDim, rmsEps, ropeTheta, hiddenSize } = config;
  const row = (name: string, i: number, width: number) =>
    Array.from(weights.get(name)!.data.subarray(i * width, (i + 1) * width));
  const linear = (name: string, x: number[]): number[] => {
    const { shape, data } = weights.get(`${name}.weight`)!;
    const bias = weights.get(`${name}.bias`)?.data;
    return Array.from({ length: shape[0] }, (_, o) => {
      let sum = bias?.[o] ?? 0;
      for (let i = 0; i < shape[1]; i++) sum += data[o * shape[1] + i] * x[i];
      return sum;
    });
  };
  const norm = (name: string, x: number[]): number[] => {
    const w = weights.get(`${name}.weight`);
    if (!w) return x;
    const scale = 1 / Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length + rmsEps);
    return x.map((v, i) => v * scale * w.data[i]);
  };
  const rotate = (x: number[], position: number): number[] => {
    const half = headDim / 2;
    return x.map((v, i) => {
      const angle = position * (rope ? rope.frequencies[i % half] : ropeTheta ** (-(i % half) / half));
      const other = i < half ? -x[i + half] : x[i - half];
      return (v * Math.cos(angle) + other * Math.sin(angle)) * (rope?.length ?? 1);
    });
  };
  const headsOf = (x: number[], count: number) =>
    Array.from({ length: count }, (_, h) => x.slice(h * headDim, (h + 1) * headDim));

  let x: Rows = ids.map((id) => row('model.embed_tokens.weight', id, hiddenSize));
  const streams: Rows[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const at = `model.layers.${layer}`;
    const normed = x.map((v) => norm(`${at}.input_layernorm`, v));
    const project = (role: 'q' | 'k' | 'v', count: number) =>
      normed.map((v, t) =>
        headsOf(linear(`${at}.self_attn.${role}_proj`, v), count).map((head) =>
          role === 'v' ? head : rotate(norm(`${at}.self_attn.${role}_norm`, head), t),
        ),
      );
    const [q, k, v] = [project('q', heads), project('k', kvHeads), project('v', kvHeads)];
    const attended = x.map((_, t) =>
      Array.from({ length: heads }, (_, h) => {
        const g = Math.floor((h * kvHeads) / heads);
        const scores = Array.from({ length: t + 1 }, (_, s) => dot(q[t][h], k[s][g]) / Math.sqrt(headDim));
        const most = Math.max(...scores);
        const weightsOf = scores.map((score) => Math.exp(score - most));
        const total = weightsOf.reduce((a, b) => a + b, 0);
        return Array.from(
          { length: headDim },
          (_, d) => weightsOf.reduce((sum, w, s) => sum + w * v[s][g][d], 0) / total,
        );
      }).flat(),
    );
    x = x.map((v, t) => plus(v, linear(`${at}.self_attn.o_proj`, attended[t])));
    x = x.map((v) => {
      const h = norm(`${at}.post_attention_layernorm`, v);
      const up = linear(`${at}.mlp.up_proj`, h);
      const act = linear(`${at}.mlp.gate_proj`, h).map((g, i) => (g / (1 + Math.exp(-g))) * up[i]);
      return plus(v, linear(`${at}.mlp.down_proj`, act));
    });
    streams.push(x);
  }
  return streams;
}

const dot = (a: number[], b: number[]) => a.reduce((sum, v, i) => sum + v * b[i], 0);
const plus = (a: number[], b: number[]) => a.map((v, i) => v + b[i]);
