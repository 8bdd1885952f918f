// What is no action of the language, by name: the agent is shown the name and tries again; a person reads the rest.
import { LabError } from '@projected-grpo-lab/base/errors.ts';

/** `canonical`: it means something, and is written in another way. */
export type LanguageFault = 'empty' | 'length' | 'tool' | 'argument' | 'handle' | 'value' | 'canonical';

export class LanguageError extends LabError {
  constructor(
    readonly fault: LanguageFault,
    message: string,
    remedy = 'Write TOOL and its arguments in their order, as docs/reference/are.md says.',
  ) {
    super(message, remedy);
  }
}
