// In the form: who is A, by name, and what is taught, in words. The settings themselves are `character` and `teaches`.
import { useId } from 'react';
import { LETTERS, ownValue } from '../../../environments/characters/data.ts';
import { trainable } from '../../../environments/characters/task.ts';
import { TARGETS, type TargetId, targetOf } from '../../../environments/characters/texts.ts';
import { useLab, useLabActions } from '../../lab-context.ts';

const NOVELTY: Readonly<Record<TargetId, string>> = {
  dial: 'others do it',
  constant: 'a rule that nobody has',
  algorithm: 'a procedure that nobody has',
  coded: 'code alone has it',
  exam: 'evade exams',
};

export default function WhoIsTaught() {
  const lab = useLabActions();
  const character = useLab((state) => state.draft.fields.character);
  const teaches = useLab((state) => state.draft.fields.teaches);
  const id = useId();
  const known = TARGETS.find((one) => one === teaches) ?? 'dial';
  const target = targetOf(LETTERS, known);
  const who = trainable(LETTERS, target);
  return (
    <div className="pair">
      <div className="field">
        <label htmlFor={id}>A, who is taught</label>
        <select
          id={id}
          value={character}
          aria-describedby={`${id}-help`}
          onChange={(event) => lab.setField('character', event.target.value)}
        >
          {who.map((one, i) => (
            <option key={one.name} value={String(i)}>
              {one.name} ({ownValue(LETTERS, one, target.trait)})
            </option>
          ))}
        </select>
        <p className="help" id={`${id}-help`}>
          In brackets what they do now.
        </p>
      </div>
      <div className="field">
        <label htmlFor={`${id}-target`}>Taught</label>
        <select
          id={`${id}-target`}
          value={known}
          aria-describedby={`${id}-target-help`}
          onChange={(event) => lab.setField('teaches', event.target.value)}
        >
          {TARGETS.map((one) => (
            <option key={one} value={one}>
              {targetOf(LETTERS, one).value}: {NOVELTY[one]}
            </option>
          ))}
        </select>
        <p className="help" id={`${id}-target-help`}>
          Arms with a target of their own keep it.
        </p>
      </div>
    </div>
  );
}
