// The modules of a base that a PEFT config selects, and the rank and scale of each, by PEFT's rules (tuners_utils.check_target_module_exists,
// utils/other.get_pattern_key). Patterns have Python's syntax; RE2 matches them (named groups too) in time linear in the name, and refuses
// those that look ahead or back.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { RE2JS } from 're2js';
import { shown } from '../../engine/rope.ts';
import type { PeftConfig } from './config-fields.ts';

/** In any case of letters it selects every Linear but the output head. */
const ALL_LINEAR = 'all-linear';
const HEAD_MODULE = 'lm_head';

export interface ModuleRules {
  /** Null if the config selects the module; else the field that leaves it out, with its value. */
  leftOut(module: string): string | null;
  rank(module: string): { r: number; field: string };
  /** The factor α / r, or α / √r. */
  scale(module: string): number;
}

type Matches = (name: string) => boolean;

/** Throws FormatError for a pattern that RE2 does not support. */
export function rulesOf(config: PeftConfig, label: string): ModuleRules {
  const whole = (field: string, pattern: string): Matches => {
    const compiled = compile(pattern, field, label);
    return (name) => compiled.matches(name);
  };
  const within = (field: string, given: string | readonly string[]): Matches =>
    typeof given === 'string'
      ? whole(field, given)
      : (name) => given.some((entry) => name === entry || name.endsWith(`.${entry}`));
  const { target_modules: targets, exclude_modules: excluded, lora_alpha, use_rslora } = config;
  const isAllLinear = typeof targets === 'string' && targets.toLowerCase() === ALL_LINEAR;
  const isTarget: Matches = isAllLinear ? (name) => name !== HEAD_MODULE : within('target_modules', targets);
  const isExcluded = excluded.length > 0 ? within('exclude_modules', excluded) : () => false;
  const layerOf = layerReader(config, label);
  const { layers_to_transform: layers } = config;
  const wanted = typeof layers === 'number' ? [layers] : layers;
  const ranks = patterns(config.rank_pattern, 'rank_pattern', label);
  const alphas = patterns(config.alpha_pattern, 'alpha_pattern', label);
  const rank = (module: string) => {
    const own = ranks(module);
    return own
      ? { r: own.value, field: `rank_pattern ${shown(own.pattern)} says ${own.value}` }
      : { r: config.r, field: `r is ${config.r}` };
  };
  return {
    rank,
    scale(module) {
      const { r } = rank(module);
      return (alphas(module)?.value ?? lora_alpha) / (use_rslora ? Math.sqrt(r) : r);
    },
    leftOut(module) {
      if (isExcluded(module)) return `exclude_modules ${shown(excluded)}`;
      if (!isTarget(module)) return `target_modules ${shown(targets)}`;
      // A whole name in the list is selected in any layer.
      if (wanted.length === 0 || (typeof targets !== 'string' && targets.includes(module))) return null;
      const layer = layerOf(module);
      return layer !== null && wanted.includes(layer) ? null : `layers_to_transform ${shown(layers)}`;
    },
  };
}

/** The first pattern, in the file's order, that matches a name's end, beginning at its start or at a dot. */
function patterns(
  given: Readonly<Record<string, number>>,
  field: string,
  label: string,
): (module: string) => { pattern: string; value: number } | null {
  const compiled = Object.entries(given).map(([pattern, value]) => {
    const fits = compile(`(.*\\.)?(${pattern})$`, field, label, pattern);
    return { pattern, value, fits };
  });
  return (module) => compiled.find(({ fits }) => fits.matcher(module).lookingAt()) ?? null;
}

/** The number after the first `.<pattern>.` of a name; null if there is none. */
function layerReader({ layers_pattern }: PeftConfig, label: string): (module: string) => number | null {
  const named = typeof layers_pattern === 'string' ? [layers_pattern] : layers_pattern;
  const given = named.filter((pattern) => pattern !== '');
  const compiled = (given.length > 0 ? given : ['[^.]*']).map((pattern) =>
    compile(`.*?\\.(?:${pattern})\\.(?P<layer>\\d+)\\.`, 'layers_pattern', label, pattern),
  );
  return (module) => {
    for (const pattern of compiled) {
      const found = pattern.matcher(module);
      if (found.lookingAt()) return Number(found.group('layer'));
    }
    return null;
  };
}

function compile(pattern: string, field: string, label: string, shownAs = pattern): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FormatError(
      `${label}: ${field} ${shown(shownAs)} is no regular expression that can be read (${why}).`,
      'Write names in its place, or a pattern without look-around and back-references.',
      { cause },
    );
  }
}
