// The syntax tree of a template.
import type { Arithmetic } from './operators.ts';
import type { Value } from './values.ts';

export interface CallArguments {
  positional: readonly Expression[];
  named: readonly (readonly [name: string, value: Expression])[];
  /** `*args` and `**kwargs`. */
  spread: Expression | null;
  spreadNamed: Expression | null;
}

export type Comparison = 'eq' | 'ne' | 'lt' | 'lteq' | 'gt' | 'gteq' | 'in' | 'notin';

export type Expression =
  | { kind: 'constant'; value: Value }
  | { kind: 'name'; name: string }
  | { kind: 'list' | 'tuple' | 'concat'; items: readonly Expression[] }
  | { kind: 'dict'; entries: readonly (readonly [key: Expression, value: Expression])[] }
  | { kind: 'attribute'; value: Expression; name: string }
  | { kind: 'element'; value: Expression; key: Expression }
  | { kind: 'slice'; value: Expression; from: Expression | null; to: Expression | null; step: Expression | null }
  | { kind: 'call'; callee: Expression; args: CallArguments }
  /** `value` is null in `{% filter %}` and `{% set %}`, where the text of the block is filtered. */
  | { kind: 'filter'; value: Expression | null; name: string; args: CallArguments }
  | { kind: 'test'; value: Expression; name: string; args: CallArguments }
  | { kind: 'not'; value: Expression }
  | { kind: 'sign'; operator: '+' | '-'; value: Expression }
  | { kind: 'arithmetic'; operator: Arithmetic; left: Expression; right: Expression }
  | { kind: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'compare'; first: Expression; rest: readonly (readonly [Comparison, Expression])[] }
  | { kind: 'choice'; test: Expression; value: Expression; otherwise: Expression | null };

export type Target =
  | { kind: 'name'; name: string }
  | { kind: 'member'; namespace: string; name: string }
  | { kind: 'tuple'; items: readonly Target[] };

/** `hidden` lists the names that a block sets before it looks them up: they are undefined until they are set, even if they are defined outside
 *  the block (see scopes.ts). */
export interface Block {
  body: readonly Statement[];
  hidden: readonly string[];
}

export interface MacroParts {
  parameters: readonly string[];
  /** Defaults of the last parameters. */
  defaults: readonly Expression[];
  block: Block;
  /** Which of `caller`, `kwargs` and `varargs` the body reads. */
  special: ReadonlySet<string>;
}

export type Statement =
  | { kind: 'text'; text: string }
  | { kind: 'output'; value: Expression }
  | {
      kind: 'if';
      branches: readonly { test: Expression; body: readonly Statement[] }[];
      otherwise: readonly Statement[];
    }
  | {
      kind: 'for';
      target: Target;
      items: Expression;
      test: Expression | null;
      recursive: boolean;
      block: Block;
      otherwise: Block | null;
    }
  | { kind: 'set'; target: Target; value: Expression }
  | { kind: 'setBlock'; target: Target; filter: Expression | null; block: Block }
  | { kind: 'with'; targets: readonly Target[]; values: readonly Expression[]; block: Block }
  | ({ kind: 'macro'; name: string } & MacroParts)
  | ({ kind: 'call'; call: Expression } & MacroParts)
  | { kind: 'filter'; filter: Expression; block: Block }
  /** `{% generation %}` marks text of the assistant; it acts as a macro without parameters that is called in place. */
  | ({ kind: 'generation' } & MacroParts)
  | { kind: 'break' | 'continue' };
