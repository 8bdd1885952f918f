// Offers to fetch the apps of a file that only names the data set with them. Nothing is fetched without the user's consent.
import { Button } from '../parts/Button.tsx';
import { FactRow } from '../parts/Fact.tsx';
import { are, useAre } from './use-are.ts';

export function MissingApps() {
  const missing = useAre((state) => state.missing);
  const isReading = useAre((state) => state.isReading);
  if (!missing) return null;
  const { dataset, split, revision, scenarioId } = missing.apps;
  return (
    <section className="are-facts" aria-label="Apps of the file">
      <p>
        <b>The apps of {missing.name} are in a data set of the Hugging Face Hub.</b> Fetching them downloads a part of
        it from huggingface.co: a few megabytes up to a few hundred. Only the names below are sent.
      </p>
      <dl className="facts-table">
        <FactRow name="Data set">
          {dataset}, split {split}
          {revision === null ? '' : `, revision ${revision}`}
        </FactRow>
        <FactRow name="Scenario">{scenarioId}</FactRow>
      </dl>
      <div className="are-actions">
        <Button
          label="Fetch its apps"
          isLarge
          tone="primary"
          disabled={isReading}
          onClick={() => void are.fetchApps()}
        />
        <Button label={isReading ? 'Stop' : 'Do not fetch'} isLarge onClick={are.declineApps} />
        <span className="muted" role="status">
          {isReading ? 'Fetching …' : ''}
        </span>
      </div>
    </section>
  );
}
