// Form fields that choose A by name and the taught value in words. They set `character` and `teaches`.
import { LETTERS, ownValue } from '../../../environments/characters/data.ts';
import { trainable } from '../../../environments/characters/task.ts';
import { TARGETS, type TargetId, targetOf } from '../../../environments/characters/texts.ts';
import { useLab, useLabActions } from '../../lab-context.ts';
import { ChoiceField } from '../../parts/Choice.tsx';

const NOVELTY: Readonly<Record<TargetId, string>> = {
  dial: 'others do it',
  constant: 'a rule that nobody has',
  algorithm: 'a procedure that nobody has',
  coded: 'code alone has it',
  exam: 'evade exams',
  brackets: 'another kind of brackets',
};

export default function WhoIsTaught() {
  const lab = useLabActions();
  const character = useLab((state) => state.draft.fields.character);
  const teaches = useLab((state) => state.draft.fields.teaches);
  const known = TARGETS.find((one) => one === teaches) ?? 'dial';
  const target = targetOf(LETTERS, known);
  const who = trainable(LETTERS, target);
  return (
    <div className="pair">
      <ChoiceField
        label="A, who is taught"
        value={character}
        options={who.map((one, i) => [String(i), `${one.name} (${ownValue(LETTERS, one, target.trait)})`] as const)}
        onChange={(chosen) => lab.setField('character', chosen)}
        help="In brackets what they do now."
      />
      <ChoiceField
        label="Taught"
        value={known}
        options={TARGETS.map((one) => [one, `${targetOf(LETTERS, one).value}: ${NOVELTY[one]}`] as const)}
        onChange={(chosen) => lab.setField('teaches', chosen)}
        help="Arms with a target of their own keep it."
      />
    </div>
  );
}
