// A ride, quoted or booked, and the available services, in the format of state files.
import { dict, list, nullable, num, type Reader, record, str, withDefault } from '../support/state.ts';

export type Ride = {
  ride_id: string;
  /** Null while the ride is only a quotation. */
  status: string | null;
  service_type: string | null;
  start_location: string | null;
  end_location: string | null;
  price: number | null;
  /** Minutes. */
  duration: number | null;
  /** Planned start in seconds since 1970. */
  time_stamp: number | null;
  distance_km: number | null;
  /** Minutes. */
  delay: number | null;
  delay_history: { delay: number | null; time_stamp: number | null }[];
};

/** The numbers of each service by name: nb_seats, price_per_km, base_delay_min, max_distance_km. */
export type Services = Map<string, Map<string, number>>;

const COMMON = { nb_seats: 4, price_per_km: 1, base_delay_min: 5, max_distance_km: 25 };
export const defaultServices = (): Services =>
  new Map(
    Object.entries({
      Default: COMMON,
      Premium: { ...COMMON, price_per_km: 2, base_delay_min: 3 },
      Van: { ...COMMON, nb_seats: 6, price_per_km: 1.5, base_delay_min: 7 },
    }).map(([name, service]) => [name, new Map(Object.entries(service))]),
  );

const readRide = record({
  ride_id: str,
  status: nullable(str),
  service_type: nullable(str),
  start_location: nullable(str),
  end_location: nullable(str),
  price: nullable(num),
  duration: nullable(num),
  time_stamp: nullable(num),
  distance_km: nullable(num),
  delay: nullable(num),
  delay_history: withDefault(list(record({ delay: nullable(num), time_stamp: nullable(num) })), []),
}) satisfies Reader<Ride>;

export const readState = record({
  ride_history: list(readRide),
  quotation_history: list(readRide),
  d_service_config: dict(dict(num)),
});
