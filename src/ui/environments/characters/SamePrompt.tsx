// Two speakers answer the same prompt, with the base model and with the run's: a few sampled answers each, with equal answers counted.
import { useState } from 'react';
import { useStore } from 'zustand/react';
import { LETTERS } from '../../../environments/characters/data.ts';
import type { Roles } from '../../../environments/characters/task.ts';
import type { Target } from '../../../environments/characters/texts.ts';
import { itemsOf } from '../../../experiments/characters/probe-set.ts';
import { ANSWERS, type Characters, type CountedAnswer, speakersOf } from '../../../store/characters/characters.ts';
import { GROUP_WORDS } from '../../../store/characters/doses.ts';
import { Button } from '../../parts/Button.tsx';
import { ChoiceField } from '../../parts/Choice.tsx';
import { NumberInput } from '../../parts/NumberInput.tsx';
import { Problem } from '../../parts/Problem.tsx';

interface SamePromptProps {
  runId: string;
  roles: Roles;
  target: Target;
  asked: Characters;
}

const MODELS = [
  ['base', 'before'],
  ['trained', 'after'],
] as const;

export default function SamePrompt({ runId, roles, target, asked }: SamePromptProps) {
  const speakers = speakersOf(roles, target);
  const items = itemsOf(LETTERS, target);
  const [one, setOne] = useState(speakers[0].id);
  const [other, setOther] = useState((speakers.find(({ group }) => group === 'near') ?? speakers[1]).id);
  const [which, setWhich] = useState(0);
  const [seed, setSeed] = useState(1);
  const pair = useStore(asked.store, (state) => (state.pair?.runId === runId ? state.pair : null));
  const at = useStore(asked.store, (state) => state.at);
  const problem = useStore(asked.store, (state) => state.problem);
  const found = (id: string) => speakers.find((speaker) => speaker.id === id) ?? speakers[0];
  const choice = (label: string, value: string, onChange: (id: string) => void) => (
    <ChoiceField
      {...{ label, value, onChange }}
      options={speakers.map(({ id, group, label }) => [id, `${GROUP_WORDS[group].split(',')[0]}: ${label}`] as const)}
    />
  );
  return (
    <div className="characters-pair">
      <div className="characters-fields">
        {choice('Speaker', one, setOne)}
        {choice('Compared with', other, setOther)}
        <ChoiceField
          label="Items"
          value={String(which)}
          onChange={(text) => setWhich(Number(text))}
          options={items.map((each, i) => [String(i), each.join(' ')] as const)}
        />
        <NumberInput {...{ label: 'Seed', value: seed, min: 0, max: 1_000_000, step: 1, onChange: setSeed }} />
      </div>
      <div className="characters-fields">
        <Button
          label="Sample both"
          isLarge
          disabled={at !== null}
          onClick={() => void asked.answer(runId, target, [found(one), found(other)], items[which], seed)}
        />
        <Button label="Cancel" isLarge disabled={at !== 'pair'} onClick={() => void asked.stop()} />
        <span role="status" className="muted">
          {at === 'pair' ? 'Answering …' : ''}
        </span>
      </div>
      <Problem problem={problem} />
      {pair ? (
        <div className="characters-answers" data-testid="same-prompt">
          {pair.speakers.map(({ id, group, label }, place) => (
            <section key={id} aria-label={label}>
              <h4>
                {label} <span className="muted">{GROUP_WORDS[group].split(',')[0]}</span>
              </h4>
              {MODELS.map(([model, when]) => (
                <div key={model}>
                  <p className="muted">
                    {when}, n = {ANSWERS}, asked for {pair.items.join(' ')}
                  </p>
                  <AnswerList answers={pair.answers[place]?.[model] ?? null} />
                </div>
              ))}
            </section>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function AnswerList({ answers }: { answers: readonly CountedAnswer[] | null }) {
  if (!answers) return <p className="muted">…</p>;
  return (
    <ul>
      {answers.map(({ text, verdict: { isTarget, keeps }, count }) => (
        <li key={text}>
          <span className="num">{count}×</span> <code>{text}</code>{' '}
          {isTarget ? <span className="tag">taught</span> : keeps ? <span className="tag">own</span> : null}
        </li>
      ))}
    </ul>
  );
}
