// Choice of arms: a short list of six together with the chosen ones, and a search among all that the environment offers. The dialog with
// all settings describes every arm.
import { useState } from 'react';
import { findArms, shownArms } from '../../store/form/arms.ts';
import { useLab } from '../lab-context.ts';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { ArmChip } from './ArmChip.tsx';

/** Maximum number of chips that a search adds; more words narrow it down. */
const MOST_FOUND = 12;

export function ArmsField() {
  const draft = useLab((state) => state.draft);
  const error = useLab((state) => state.check.fields.arms);
  const [query, setQuery] = useState('');
  const shown = shownArms(draft);
  const found =
    query.trim() === '' ? [] : findArms(query, draft.fields.environment.trim()).filter((name) => !shown.includes(name));
  return (
    <fieldset className="field arms">
      <legend>Arms</legend>
      <div className="beside-legend">
        <MetricHelp id="arms" name="the arms" />
      </div>
      <div className="chips">
        {shown.map((name) => (
          <ArmChip key={name} name={name} />
        ))}
      </div>
      <input
        type="search"
        className="arm-search"
        aria-label="Find another arm"
        placeholder="Find another arm: control, baseline, method …"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        // Enter would submit the form.
        onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && event.preventDefault()}
      />
      {query.trim() === '' ? null : (
        <fieldset className="chips">
          <legend className="sr">Arms found</legend>
          {found.slice(0, MOST_FOUND).map((name) => (
            <ArmChip key={name} name={name} />
          ))}
          <p className="help" role="status">
            {found.length === 0
              ? 'No other arm of this question has these words.'
              : found.length > MOST_FOUND
                ? `${found.length - MOST_FOUND} more: add a word.`
                : `${found.length} found.`}
          </p>
        </fieldset>
      )}
      {error ? (
        <p className="error" role="alert">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
