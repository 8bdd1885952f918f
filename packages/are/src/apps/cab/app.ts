// Cabs (ARE's CabApp): quotations by distance and service, one ride at a time, and a driver who may be late or cancel. Distances and
// prices that have been quoted once stay near what they were.
import { AppBase } from '../../app.ts';
import { assertionError, keyError, valueError } from '../../python-error.ts';
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { formatDateTime, givenDateTime, HOUR } from '../support/clock.ts';
import { asDict, copyOf } from '../support/state.ts';
import { defaultServices, type Ride, readState, type Services } from './ride.ts';

/** Kilometres per hour, by which a ride's duration is estimated; and the minutes that traffic adds at most. */
const SPEED = 50;
const TRAFFIC = 10;
/** Range in kilometres of a distance before its first quotation. */
const NEAREST = 5;
const FARTHEST = 20;
/** Share of the price per hour since the first quotation; the share is kept within the bounds. */
const DRIFT = 0.01;
const LEAST_VARIANCE = 0.5;
const MOST_VARIANCE = 1.5;

export class CabApp extends AppBase {
  rides: Ride[] = [];
  /** Booked rides are in both lists: one ride, which changes in both. */
  quotations: Ride[] = [];
  services: Services = defaultServices();
  /** Not a part of the saved state. */
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

  /** Rides of a file are added to those that are there. */
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

  /** A ride's time as it is written, and in seconds; now where none is given. */
  rideTime(written: string | null): { text: string; seconds: number } {
    const text = written ?? formatDateTime(this.world.now());
    return { text, seconds: givenDateTime(text, ' for the ride time') };
  }

  quote(start: string, end: string, serviceType: string, rideTime: string | null): Ride {
    const { seconds } = this.rideTime(rideTime);
    const service = this.services.get(serviceType);
    if (!service) throw valueError('Invalid service type.');
    const figure = (name: string): number => {
      const value = service.get(name);
      if (value === undefined) throw keyError(name);
      return value;
    };
    const distance = this.distance(start, end);
    if (distance > figure('max_distance_km')) throw valueError('Distance exceeds maximum allowed.');
    const price = this.drifted(start, end, serviceType, seconds) ?? distance * figure('price_per_km');
    const delay = figure('base_delay_min') + this.draws.randint(1, 5);
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

  /** The price of the first such quotation, moved at random; null if there is none. */
  private drifted(start: string, end: string, serviceType: string, seconds: number): number | null {
    const first = this.quotations.find(
      (ride) => ride.start_location === start && ride.end_location === end && ride.service_type === serviceType,
    );
    if (!first?.price) return null;
    const hours = (seconds - (first.time_stamp ?? 0)) / HOUR;
    const variance = Math.min(Math.max(DRIFT * hours, LEAST_VARIANCE), MOST_VARIANCE);
    return first.price * (1 + this.draws.uniform(-variance, variance));
  }

  /** The last quotation is booked. */
  book(): Ride {
    const ride = this.quotations.at(-1) as Ride;
    ride.status = 'BOOKED';
    ride.delay_history.push({ delay: ride.delay, time_stamp: ride.time_stamp });
    this.rides.push(ride);
    this.onGoing = ride;
    return ride;
  }

  /** The ride that is on, which the last of the history must be. */
  current(): Ride {
    if (!this.onGoing) throw valueError('You have no on-going ride.');
    if (this.onGoing !== this.rides.at(-1)) throw assertionError('');
    return this.onGoing;
  }

  finish(status: 'CANCELLED' | 'COMPLETED'): void {
    this.current().status = status;
    this.onGoing = null;
  }

  /** Looked at, a delay moves with the time that has passed, and is never above zero, as in the reference. */
  updateDelay(ride: Ride): void {
    if (ride.time_stamp === null || ride.delay === null) throw valueError('time_stamp or delay is not set');
    const passed = this.world.now() - ride.time_stamp;
    ride.delay = Math.min(0, ride.delay - passed * (1 + this.draws.uniform(-1.5, 1)));
    ride.delay_history.push({ delay: ride.delay, time_stamp: ride.time_stamp });
  }
}
