// The rules for two gradients, by the names that the option `trusted` has. A new one is a file beside this and an entry here.
import { agreeElement, agreeModule } from './agreement.ts';
import { agem, pcgrad } from './conflict.ts';
import type { GradientRule } from './rule.ts';
import { tdga } from './tdga.ts';

export const GRADIENT_RULES = {
  agem,
  pcgrad,
  agree_element: agreeElement,
  agree_module: agreeModule,
  tdga,
} as const satisfies Record<string, GradientRule>;

export type GradientRuleId = keyof typeof GRADIENT_RULES;
export const GRADIENT_RULE_IDS = Object.keys(GRADIENT_RULES) as GradientRuleId[];

/** Null for a use of trusted problems that is no rule. */
export const gradientRule = (use: string): GradientRule | null =>
  Object.hasOwn(GRADIENT_RULES, use) ? GRADIENT_RULES[use as GradientRuleId] : null;
