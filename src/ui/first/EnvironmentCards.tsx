// The first choice in the lab is the question. Each environment has a card with the picture of a finished result; choosing it gives the
// form that environment's arms and settings.

import { useDeferredValue, useLayoutEffect, useRef } from 'react';
import type { LoadableEnvironment } from '../../experiments/environments/definition.ts';
import {
  ENVIRONMENTS,
  findEnvironment,
  OFFERED_ENVIRONMENTS,
  SHOWN_ENVIRONMENTS,
} from '../../experiments/environments/registry.ts';
import { shownView } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { FindingThumbnail } from './FindingBars.tsx';
import { useEnvironmentHeadline } from './use-demo.ts';

export function EnvironmentCards() {
  const environment = useLab((state) => state.draft.fields.environment.trim());
  const isAtWork = useLab((state) => shownView(state) !== null);
  // Pressing Run hides the details at once by CSS; the deferred value removes them a moment later.
  const isSlim = useDeferredValue(isAtWork);
  const chosen = findEnvironment(environment);
  // A problem file is an environment of its own, which has a card while it is chosen.
  const row = useRef<HTMLElement>(null);
  // On a phone the cards are a row that scrolls to the chosen card; the page itself never scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another card is chosen
  useLayoutEffect(() => {
    // Measured in the next frame, so that React's task does not force an extra layout.
    const frame = requestAnimationFrame(() => {
      const card = row.current?.querySelector(':checked')?.closest<HTMLElement>('.environment-card');
      if (row.current && card)
        row.current.scrollLeft = card.offsetLeft - (row.current.clientWidth - card.offsetWidth) / 2;
    });
    return () => cancelAnimationFrame(frame);
  }, [chosen]);
  // Environments with a published demo come first.
  const environments = ENVIRONMENTS.filter(
    (environment) => OFFERED_ENVIRONMENTS.includes(environment.id) || environment === chosen,
  ).toSorted((a, b) => Number(hasDemo(b)) - Number(hasDemo(a)));
  return (
    <section ref={row} className={isAtWork ? 'environment-cards slim' : 'environment-cards'} aria-label="Question">
      {environments.map((environment) => (
        <Card key={environment.id} environment={environment} isChosen={environment === chosen} isSlim={isSlim} />
      ))}
    </section>
  );
}

const hasDemo = ({ id }: LoadableEnvironment): boolean => SHOWN_ENVIRONMENTS.includes(id);

function Card({
  environment,
  isChosen,
  isSlim,
}: {
  environment: LoadableEnvironment;
  isChosen: boolean;
  isSlim: boolean;
}) {
  const lab = useLabActions();
  const { id, card } = environment;
  return (
    <label className="environment-card" title={card.about}>
      <input
        type="radio"
        name="environment"
        checked={isChosen}
        onChange={() => lab.setField('environment', id)}
        aria-labelledby={`card-${id}-question`}
        aria-describedby={isSlim ? undefined : `card-${id}`}
      />
      <span className="environment-question" id={`card-${id}-question`}>
        {card.question}
      </span>
      {isSlim ? null : (
        <>
          <span className="environment-about" id={`card-${id}`}>
            {card.about}
          </span>
          <Picture id={id} />
        </>
      )}
    </label>
  );
}

/** The environment's id, and its finding over many seeds. */
function Picture({ id }: { id: string }) {
  const headline = useEnvironmentHeadline(id);
  return (
    <span className="environment-picture" aria-hidden="true">
      <span className="environment-metric">{id}</span>
      {headline ? <FindingThumbnail headline={headline} /> : null}
    </span>
  );
}
