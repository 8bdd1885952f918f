// Crime rates by zip code behind a rate limit (ARE's CityApp): an agent that asks too often waits half an hour of simulated time.
import { AppBase } from '../app.ts';
import { valueError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import type { Values } from '../value.ts';
import { MINUTE } from './support/clock.ts';
import { asDict, copyOf, dict, num, record } from './support/state.ts';

type CrimeDataPoint = { violent_crime: number; property_crime: number };

const COOLDOWN = 30 * MINUTE;
const CALL_LIMIT = 100;

const readState = record({
  api_call_limit: num,
  crime_data: dict(record({ violent_crime: num, property_crime: num })),
});

export class CityApp extends AppBase {
  readonly tools: readonly Tool[] = TOOLS;
  crimes = new Map<string, CrimeDataPoint>();
  callLimit = CALL_LIMIT;
  /** Calls since the limit was last hit; not part of the saved state. */
  calls = 0;
  private blockedSince: number | null = null;

  constructor(name?: string) {
    super('CityApp', name);
  }

  getState(): Values {
    return { api_call_limit: this.callLimit, crime_data: asDict(this.crimes, copyOf) };
  }

  loadState(state: Values): void {
    const { api_call_limit, crime_data } = readState(state, '');
    this.callLimit = api_call_limit;
    this.crimes = crime_data;
  }

  reset(): void {
    this.crimes.clear();
    this.calls = 0;
    this.blockedSince = null;
  }

  /** Counts a call. The call that hits the limit raises and starts the wait; a call within the wait raises too. */
  count(): void {
    const now = this.world.now();
    if (this.blockedSince !== null && now - this.blockedSince >= COOLDOWN) this.blockedSince = null;
    if (this.blockedSince !== null || this.calls >= this.callLimit) {
      this.blockedSince ??= now;
      this.calls = 0;
      throw valueError(
        `Free version only supports ${this.callLimit} API calls. Please try again after 30 minutes or upgrade to pro-version.`,
      );
    }
    this.calls++;
  }

  rate(zipCode: string): CrimeDataPoint {
    const rate = this.crimes.get(zipCode);
    if (!rate) throw valueError('Zip code does not exist in our database');
    return rate;
  }
}

const ZIP = { zip_code: { type: 'str', about: 'The zip code.' } } as const;

const tool = toolsOf<CityApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'add_crime_rate',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      ...ZIP,
      violent_crime_rate: { type: 'float', about: 'Rate of violent crime.' },
      property_crime_rate: { type: 'float', about: 'Rate of property crime.' },
    },
    about: 'Sets the crime rates of a zip code.',
    run: (app, { zip_code, violent_crime_rate, property_crime_rate }) => {
      app.crimes.set(zip_code, { violent_crime: violent_crime_rate, property_crime: property_crime_rate });
      return 'Added Successfully';
    },
  }),
  tool({
    name: 'update_crime_rate',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      ...ZIP,
      new_violent_crime_rate: { type: 'float | None', default: null, about: 'New rate of violent crime.' },
      new_property_crime_rate: { type: 'float | None', default: null, about: 'New rate of property crime.' },
    },
    about: 'Changes the crime rates of a zip code.',
    run: (app, { zip_code, new_violent_crime_rate, new_property_crime_rate }) => {
      if (new_violent_crime_rate === null && new_property_crime_rate === null) throw valueError('No update provided');
      const rate = app.rate(zip_code);
      rate.violent_crime = new_violent_crime_rate ?? rate.violent_crime;
      rate.property_crime = new_property_crime_rate ?? rate.property_crime;
      return 'Updated Successfully';
    },
  }),
  tool({
    name: 'get_crime_rate',
    operation: 'READ',
    returns: 'CrimeDataPoint',
    params: ZIP,
    about:
      'The crime rates of a zip code. Calls are limited (see get_api_call_limit); after the limit one has to wait for 30 minutes.',
    run: (app, { zip_code }) => {
      app.count();
      return copyOf(app.rate(zip_code));
    },
  }),
  tool({
    name: 'get_api_call_count',
    operation: 'READ',
    isUnchecked: true,
    returns: 'int',
    params: {},
    about: 'How many calls have been made.',
    run: (app) => app.calls,
  }),
  tool({
    name: 'get_api_call_limit',
    operation: 'READ',
    isUnchecked: true,
    returns: 'int',
    params: {},
    about: 'How many calls may be made.',
    run: (app) => app.callLimit,
  }),
];
