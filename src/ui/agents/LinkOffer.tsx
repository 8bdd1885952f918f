// Shows the contents of a link before it is played: a scenario from another user runs only with the user's consent.
import { Button } from '../parts/Button.tsx';
import { FactRow } from '../parts/Fact.tsx';
import { are, useAre } from './use-are.ts';

export function LinkOffer() {
  const offer = useAre((state) => state.offer);
  const isReading = useAre((state) => state.isReading);
  if (!offer) return null;
  const { scenario, agent, tasks, calls } = offer;
  return (
    <section className="are-facts" aria-label="From the link">
      <p>
        <b>This link holds a run.</b> It has not been played yet.
      </p>
      <dl className="facts-table">
        <FactRow name="Scenario">{scenario}</FactRow>
        {tasks.length > 0 ? (
          <FactRow name="The user asks">
            {tasks.map((task) => (
              <p key={task} className="are-task">
                {task}
              </p>
            ))}
          </FactRow>
        ) : null}
        <FactRow name="Who acts">{agent}</FactRow>
        {calls.length > 0 ? (
          <FactRow name="Calls in the link">
            <ol className="are-plain">
              {calls.map((call, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: calls are identified by their place
                <li key={place}>
                  <code>{call}</code>
                </li>
              ))}
            </ol>
          </FactRow>
        ) : null}
      </dl>
      <div className="are-actions">
        <Button
          label="Play the run"
          isLarge
          tone="primary"
          disabled={isReading}
          onClick={() => void are.acceptOffer()}
        />
        <Button label="Do not play" isLarge onClick={are.declineOffer} />
      </div>
    </section>
  );
}
