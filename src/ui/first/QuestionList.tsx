// The first choice in the lab is the question: one line each, with its finding. Choosing one fills the form with that environment's arms
// and settings.
import { useLayoutEffect, useRef } from 'react';
import type { LoadableEnvironment } from '../../experiments/environments/definition.ts';
import {
  ENVIRONMENTS,
  findEnvironment,
  OFFERED_ENVIRONMENTS,
  SHOWN_ENVIRONMENTS,
} from '../../experiments/environments/registry.ts';
import { answerOf, intervalsOf, unitsOf } from '../../store/findings/answer.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { useEnvironmentHeadline } from './use-demo.ts';

export function QuestionList() {
  const environment = useLab((state) => state.draft.fields.environment.trim());
  const chosen = findEnvironment(environment);
  const row = useRef<HTMLElement>(null);
  // On a phone the questions are a row that scrolls to the chosen one; the page itself never scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another question is chosen
  useLayoutEffect(() => {
    // Measured in the next frame, so that React's task does not force an additional layout.
    const frame = requestAnimationFrame(() => {
      const line = row.current?.querySelector(':checked')?.closest<HTMLElement>('.question-line');
      if (row.current && line)
        row.current.scrollLeft = line.offsetLeft - (row.current.clientWidth - line.offsetWidth) / 2;
    });
    return () => cancelAnimationFrame(frame);
  }, [chosen]);
  // A problem file is an environment of its own, which has a line while it is chosen. Environments with a published demo come first.
  const environments = ENVIRONMENTS.filter(
    (environment) => OFFERED_ENVIRONMENTS.includes(environment.id) || environment === chosen,
  ).toSorted((a, b) => Number(hasDemo(b)) - Number(hasDemo(a)));
  return (
    <section ref={row} className="question-list" aria-label="Question">
      {environments.map((environment) => (
        <Line key={environment.id} environment={environment} isChosen={environment === chosen} />
      ))}
    </section>
  );
}

const hasDemo = ({ id }: LoadableEnvironment): boolean => SHOWN_ENVIRONMENTS.includes(id);

function Line({ environment: { id, card }, isChosen }: { environment: LoadableEnvironment; isChosen: boolean }) {
  const lab = useLabActions();
  const headline = useEnvironmentHeadline(id);
  const intervals = headline && isChosen ? intervalsOf(headline) : null;
  return (
    <label className="question-line" title={`${card.question}\n${headline?.sentence ?? card.about}`}>
      <input
        type="radio"
        name="environment"
        value={id}
        checked={isChosen}
        onChange={() => lab.setField('environment', id)}
        aria-labelledby={`question-${id}`}
        aria-describedby={`answer-${id}`}
      />
      <span className="question-words" id={`question-${id}`}>
        {card.question}
      </span>
      <span className="question-answer num" id={`answer-${id}`}>
        {headline ? (
          <>
            {card.measured} <b>{answerOf(headline)}</b>{' '}
            <span title={intervals === null ? undefined : '95 % intervals'}>{intervals ?? unitsOf(headline)}</span>
          </>
        ) : (
          id
        )}
      </span>
    </label>
  );
}
