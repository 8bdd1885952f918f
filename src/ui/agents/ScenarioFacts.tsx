// Facts about the open scenario: the user's request, and the recorded run that its file may contain.
import { duration } from '../../lib/numbers.ts';
import { FactRow } from '../parts/Fact.tsx';
import { useAre } from './use-are.ts';

export function ScenarioFacts() {
  const scenario = useAre((state) => state.scenario);
  if (!scenario) return null;
  const { id, source, start, apps, events, turns, tasks, skipped, held } = scenario;
  return (
    <section className="are-facts" aria-label="Scenario">
      <dl className="facts-table">
        <FactRow name="Scenario">
          {id} <span className="muted">({source})</span>
        </FactRow>
        <FactRow name="Universe">
          {apps.length} apps, {events} events, {turns === 1 ? 'one turn' : `${turns} turns`}; from {start} for at most{' '}
          {duration(scenario.duration)}
        </FactRow>
        <FactRow name="The user asks">
          {[...new Set(tasks)]
            .filter((task) => task !== '')
            .map((task) => (
              <p key={task} className="are-task">
                {task}
              </p>
            ))}
        </FactRow>
        {skipped.length > 0 ? <FactRow name="Left out">{skipped.join('; ')}</FactRow> : null}
        {held ? (
          <FactRow name="Run in the file">
            {held.agent}: <span className={`tag ${held.success ? 'good' : 'bad'}`}>{held.outcome}</span>{' '}
            <span className="muted">judged from the file; Run plays the scenario again</span>
          </FactRow>
        ) : null}
      </dl>
    </section>
  );
}
