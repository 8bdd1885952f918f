// Cabs (ARE's CabApp): quotations by distance and service, one ride at a time, and a driver who may be late or cancel. A repeated quotation
// keeps the distance and varies the price.
import { AppBase } from '../../app.ts';
import { assertionError, keyError, valueError } from '../../python-error.ts';
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { formatDateTime, givenDateTime, HOUR } from '../support/clock.ts';
import { asDict, copyOf } from '../support/state.ts';
import { defaultServices, type Ride, readState, type Services } from './ride.ts';

/** Kilometres per hour, for the estimated duration of a ride; and the most minutes that traffic adds. */
const SPEED = 50;
const TRAFFIC = 10;
/** Range in kilometres of the distance in a first quotation. */
const NEAREST = 5;
const FARTHEST = 20;
/** Largest relative change of the price in a repeated quotation: this much per hour since the first one, clamped to the bounds. */
const DRIFT = 0.01;
const LEAST_VARIANCE = 0.5;
const MOST_VARIANCE = 1.5;

export class CabApp extends AppBase {
  rides: Ride[] = [];
  /** A booked ride is one object in both lists, so it changes in both. */
  quotations: Ride[] = [];
  services: Services = defaultServices();
  /** The ride in progress; a saved state does not include it. */
  onGoing: Ride | null = null;

  constructor(
    name: string | undefined,
    readonly tools: readonly Tool[],
  ) {
    super('CabApp', name);
  }

  getState(): Values {
    return {
      ride_history: copyOf(this.rides),
      quotation_history: copyOf(this.quotations),
      d_service_config: asDict(this.services, (service) => Object.fromEntries(service)),
    };
  }

  /** Adds a file's rides to the existing ones. */
  loadState(state: Values): void {
    const { ride_history, quotation_history, d_service_config } = readState(state, '');
    this.rides.push(...ride_history);
    this.quotations.push(...quotation_history);
    this.services = d_service_config;
  }

  reset(): void {
    this.rides = [];
    this.quotations = [];
    this.services = new Map();
    this.onGoing = null;
  }

  /** A ride's time as text and in seconds; now if none is given. */
  rideTime(written: string | null): { text: string; seconds: number } {
    const text = written ?? formatDateTime(this.world.now());
    return { text, seconds: givenDateTime(text, ' for the ride time') };
  }

  quote(start: string, end: string, serviceType: string, rideTime: string | null): Ride {
    const { seconds } = this.rideTime(rideTime);
    const service = this.services.get(serviceType);
    if (!service) throw valueError('Invalid service type.');
    const setting = (name: string): number => {
      const value = service.get(name);
      if (value === undefined) throw keyError(name);
      return value;
    };
    const distance = this.distance(start, end);
    if (distance > setting('max_distance_km')) throw valueError('Distance exceeds maximum allowed.');
    const price = this.drifted(start, end, serviceType, seconds) ?? distance * setting('price_per_km');
    const delay = setting('base_delay_min') + this.draws.randint(1, 5);
    const duration = (distance / SPEED) * 60 + TRAFFIC * this.draws.random();
    const ride: Ride = {
      ride_id: this.draws.id(),
      status: null,
      service_type: serviceType,
      start_location: start,
      end_location: end,
      price,
      duration,
      time_stamp: seconds,
      distance_km: distance,
      delay,
      delay_history: [],
    };
    this.quotations.push(ride);
    return ride;
  }

  private distance(start: string, end: string): number {
    const known = this.quotations.find((ride) => ride.start_location === start && ride.end_location === end);
    return known?.distance_km || this.draws.uniform(NEAREST, FARTHEST);
  }

  /** The first matching quotation's price, moved at random; null if there is none. */
  private drifted(start: string, end: string, serviceType: string, seconds: number): number | null {
    const first = this.quotations.find(
      (ride) => ride.start_location === start && ride.end_location === end && ride.service_type === serviceType,
    );
    if (!first?.price) return null;
    const hours = (seconds - (first.time_stamp ?? 0)) / HOUR;
    const variance = Math.min(Math.max(DRIFT * hours, LEAST_VARIANCE), MOST_VARIANCE);
    return first.price * (1 + this.draws.uniform(-variance, variance));
  }

  /** Books the last quotation. */
  book(): Ride {
    const ride = this.quotations.at(-1) as Ride;
    ride.status = 'BOOKED';
    ride.delay_history.push({ delay: ride.delay, time_stamp: ride.time_stamp });
    this.rides.push(ride);
    this.onGoing = ride;
    return ride;
  }

  /** The current ride, which must be the last of the history. */
  current(): Ride {
    if (!this.onGoing) throw valueError('You have no on-going ride.');
    if (this.onGoing !== this.rides.at(-1)) throw assertionError('');
    return this.onGoing;
  }

  finish(status: 'CANCELLED' | 'COMPLETED'): void {
    this.current().status = status;
    this.onGoing = null;
  }

  /** Changes the delay by the time that has passed. The result is never above zero, as in the reference. */
  updateDelay(ride: Ride): void {
    if (ride.time_stamp === null || ride.delay === null) throw valueError('time_stamp or delay is not set');
    const passed = this.world.now() - ride.time_stamp;
    ride.delay = Math.min(0, ride.delay - passed * (1 + this.draws.uniform(-1.5, 1)));
    ride.delay_history.push({ delay: ride.delay, time_stamp: ride.time_stamp });
  }
}
