// Milestones and minefields: what must happen in a run, and what must never happen. For scenarios written in code; scenario files have
// none, since they cannot contain functions.
import type { CompletedEvent } from './events/completed.ts';
import type { ValidationEvent } from './events/types.ts';

/** Raised within the environment, whose state is then FAILED. */
export class ValidationFailure extends Error {}

const names = (predicates: readonly { name: string }[]): string => predicates.map(({ name }) => name).join(', ');

export function validateEvent(event: ValidationEvent): { completed: CompletedEvent; goesOn: boolean } {
  event.checks++;
  event.milestones = event.milestones.filter((milestone) => !milestone.holds());
  const hit = event.minefields.filter((minefield) => minefield.holds());
  if (hit.length > 0) throw new ValidationFailure(`${event.id} hit ${hit.length} minefields: ${names(hit)}`);
  const isMet = event.milestones.length === 0;
  const completed: CompletedEvent = {
    type: 'VALIDATION',
    id: event.id,
    time: event.time as number,
    action: null,
    value: isMet,
    error: null,
  };
  if (isMet && event.minefields.length === 0) return { completed, goesOn: false };
  const isTimeUp = event.timeout !== null && event.checks * event.everyTicks >= event.timeout;
  if (isTimeUp && !isMet) {
    throw new ValidationFailure(
      `${event.id} timed out without ${event.milestones.length} milestones: ${names(event.milestones)}`,
    );
  }
  return { completed, goesOn: !isTimeUp };
}

interface ActionPredicate {
  readonly name: string;
  holds(event: CompletedEvent): boolean;
}

/** Checks each later event of the agent. */
export class AgentValidator {
  /** Ticks since it was registered. */
  ticks = 0;
  milestones: readonly ActionPredicate[];
  private minefields: readonly ActionPredicate[];
  private readonly timeout: number | null;

  constructor(
    options: {
      milestones?: readonly ActionPredicate[];
      minefields?: readonly ActionPredicate[];
      timeout?: number | null;
    },
    /** The environment's ticks when it was registered. */
    readonly from = 0,
  ) {
    this.milestones = options.milestones ?? [];
    this.minefields = options.minefields ?? [];
    this.timeout = options.timeout ?? null;
  }

  check(event: CompletedEvent): void {
    const isTimeUp = this.timeout !== null && this.ticks >= this.timeout;
    if (isTimeUp && this.milestones.length > 0) {
      throw new ValidationFailure(
        `The agent has not met ${this.milestones.length} milestones in time: ${names(this.milestones)}`,
      );
    }
    if (isTimeUp) this.minefields = [];
    this.milestones = this.milestones.filter((milestone) => !milestone.holds(event));
    const hit = this.minefields.filter((minefield) => minefield.holds(event));
    if (hit.length > 0) throw new ValidationFailure(`${event.id} hit ${hit.length} minefields: ${names(hit)}`);
  }
}
