// Layout of an adapter's parameters: each module's offset in the parameter vector (adapters/adapter.ts).
import type { AdapterForm, AdapterLayout, AdapterModule, AdapterSettings, BareWeight, ModelConfig } from './types.ts';
import { LINEARS, linearShape, linearsOf, moduleName, weightShapes } from './weight-names.ts';

/** The parameters of every Linear, end to end, by layer and then in the order of linearsOf. */
export function adapterLayout(config: ModelConfig, settings?: AdapterSettings): AdapterLayout {
  const linears = Array.from({ length: config.layers }, (_, layer) =>
    linearsOf(config, layer).map((role) => {
      const [dOut, dIn] = linearShape(config, role);
      return { name: moduleName(layer, role), dOut, dIn };
    }),
  );
  const carriers = new Set(linears.flat().map(({ name }) => `${name}.weight`));
  const bare = [...weightShapes(config)].flatMap(([name, [dOut, ...rest]]) =>
    carriers.has(name)
      ? []
      : [{ name: name.replace(/\.weight$/, ''), dOut, dIn: rest.reduce((product, size) => product * size, 1) }],
  );
  return layOutAdapter(linears.flat(), settings, bare);
}

/** Layout of these Linears for an adapter (default: svd). For `full`, the other weights (`bare`) follow. */
export function layOutAdapter(
  linears: readonly Pick<AdapterModule, 'name' | 'dOut' | 'dIn'>[],
  settings?: AdapterSettings,
  bare: readonly BareWeight[] = [],
): AdapterLayout {
  const adapter = settings?.adapter ?? 'svd';
  const modules: AdapterModule[] = [];
  let offset = 0;
  for (const { name, dOut, dIn } of adapter === 'full' ? [...linears, ...bare] : linears) {
    const directions = Math.min(dOut, dIn);
    const at = { name, offset, dOut, dIn };
    const rank = Math.min(directions, settings?.loraRank ?? 0);
    if (adapter === 'full') modules.push({ ...at, r: dOut * dIn, whole: true });
    else if (adapter === 'lora') modules.push({ ...at, r: rank * (dIn + dOut), rank });
    else if (adapter === 'blocks') {
      const both = 2 * Math.max(1, Math.min(Math.floor(directions / 2), settings?.loraRank ?? 0));
      modules.push({ ...at, r: both * (dIn + dOut), rank: both, blocks: true });
    } else modules.push({ ...at, r: directions });
    offset += modules[modules.length - 1].r;
  }
  return { modules, total: offset, ...(adapter !== 'full' && bare.length > 0 && { bare }) };
}

/** Layout of another adapter on the same model. */
export function layoutOf({ modules, bare }: AdapterLayout, settings: AdapterSettings): AdapterLayout {
  const isLinear = ({ name }: AdapterModule) => LINEARS.some((role) => name.endsWith(`.${role}`));
  const others = modules.filter((module) => !isLinear(module)).map(({ name, dOut, dIn }) => ({ name, dOut, dIn }));
  return layOutAdapter(modules.filter(isLinear), settings, bare ?? others);
}

/** The Hugging Face name of a module's weight. */
export const weightOf = ({ name }: Pick<AdapterModule, 'name'>): string =>
  /\.(bias|A_log|dt_bias)$/.test(name) ? name : `${name}.weight`;

/** A LoRA module's rank, and the ranges of A and B in the model's parameter vector. */
export function loraParts({ offset, r, dIn, rank = 0 }: AdapterModule): {
  rank: number;
  a: readonly [from: number, to: number];
  b: readonly [from: number, to: number];
} {
  const middle = offset + rank * dIn;
  return { rank, a: [offset, middle], b: [middle, offset + r] };
}

/** Whether a LoRA's gradient over `all` rows in `busy` segments costs fewer FLOPs from projected rows, (Bᵀ dy) xᵀ and dy (A x)ᵀ, than by
 *  way of dW = dy xᵀ. It does unless the rank comes near the Linear's own. */
export const isCheaperByRows = ({ dOut, dIn, rank = 0 }: AdapterModule, all: number, busy: number): boolean =>
  2 * all * rank * (dOut + dIn) <= all * dOut * dIn + 2 * busy * rank * dOut * dIn;

/** Settings from which `layOutAdapter` makes this layout. */
export function adapterOf({ modules }: AdapterLayout): AdapterSettings {
  if (modules.some(({ whole }) => whole)) return { adapter: 'full', loraRank: 0 };
  const loraRank = Math.max(0, ...modules.map(({ rank = 0 }) => rank));
  if (modules.some(({ blocks }) => blocks)) return { adapter: 'blocks', loraRank: loraRank / 2 };
  return { adapter: loraRank > 0 ? 'lora' : 'svd', loraRank };
}

/** Describes an adapter in words, such as `a LoRA of rank 32`. */
export function describeAdapter({ adapter, loraRank }: AdapterSettings): string {
  if (adapter === 'full') return 'all weights';
  if (adapter === 'blocks') return `two LoRA blocks of rank ${loraRank}`;
  return adapter === 'lora' ? `a LoRA of rank ${loraRank}` : 'singular directions';
}

/** 1 for every parameter of the quarantine block (the second half of A's rows and B's columns), 0 elsewhere. */
export function quarantineMask({ modules, total }: AdapterLayout): Uint8Array {
  const mask = new Uint8Array(total);
  for (const module of modules) {
    if (!module.blocks) continue;
    const { rank, a, b } = loraParts(module);
    mask.fill(1, a[0] + (rank / 2) * module.dIn, a[1]);
    for (let o = 0; o < module.dOut; o++) mask.fill(1, b[0] + o * rank + rank / 2, b[0] + (o + 1) * rank);
  }
  return mask;
}

/** The forms that an adapter has, in the order in which a plan tries them; default adapter: svd. */
export function formsOf(settings: AdapterSettings | 'none' | undefined): readonly AdapterForm[] {
  return settings === 'none' || settings?.adapter === 'full' ? ['folded'] : ['folded', 'unfolded'];
}
