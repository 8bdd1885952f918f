// The tools of the cab app.
import { indexError, valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { copyOf } from '../support/state.ts';
import { CabApp } from './app.ts';

const STATUSES: readonly string[] = ['DELAYED', 'IN_PROGRESS', 'ARRIVED_AT_PICKUP'];
const CANCELLED = 'The ride has been cancelled. Sorry for the inconvenience.';

const ROUTE = {
  start_location: { type: 'str', about: 'Where the ride begins.' },
  end_location: { type: 'str', about: 'Where the ride ends.' },
} as const;
const SERVICE = { service_type: { type: 'str', about: 'Default, Premium or Van.' } } as const;
const TIME = {
  ride_time: { type: 'str | None', default: null, about: 'When, as YYYY-MM-DD HH:MM:SS; now if not given.' },
} as const;

const tool = toolsOf<CabApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'add_new_ride',
    roles: ['data'],
    operation: 'WRITE',
    logsAs: 'AGENT',
    returns: 'str',
    params: {
      ...SERVICE,
      ...ROUTE,
      price: { type: 'float', about: 'What it cost.' },
      duration: { type: 'float', default: 0, about: 'Minutes.' },
      time_stamp: { type: 'float', default: 0, about: 'When, in seconds since 1970.' },
      distance_km: { type: 'float', default: 0, about: 'Kilometres.' },
    },
    about: 'Adds a ride to the history and returns its id.',
    run: (app, args) => {
      const ride = { ...args, ride_id: app.draws.id(), status: 'BOOKED', delay: null, delay_history: [] };
      app.rides.push(ride);
      app.quotations.push(ride);
      return ride.ride_id;
    },
  }),
  tool({
    name: 'get_quotation',
    operation: 'READ',
    returns: 'Ride',
    params: { ...ROUTE, ...SERVICE, ...TIME },
    about: 'Price, delay, distance and duration of a ride with one service.',
    run: (app, { start_location, end_location, service_type, ride_time }) =>
      copyOf(app.quote(start_location, end_location, service_type, ride_time)),
  }),
  tool({
    name: 'list_rides',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'list[Ride]',
    params: { ...ROUTE, ...TIME },
    about: 'Quotations of a ride with every service.',
    run: (app, { start_location, end_location, ride_time }) => {
      const { text } = app.rideTime(ride_time);
      const services = [...app.services.keys()];
      return services.map((service_type) =>
        app.call('get_quotation', { start_location, end_location, service_type, ride_time: text }),
      );
    },
  }),
  tool({
    name: 'order_ride',
    roles: ['agent', 'data'],
    operation: 'WRITE',
    returns: 'Ride',
    params: { ...ROUTE, ...SERVICE, ...TIME },
    about: 'Orders a ride, if none is on.',
    run: (app, { start_location, end_location, service_type, ride_time }) => {
      if (app.onGoing) throw valueError('You have an on-going ride.');
      const { text } = app.rideTime(ride_time);
      app.call('get_quotation', { start_location, end_location, service_type, ride_time: text });
      return copyOf(app.book());
    },
  }),
  tool({
    name: 'cancel_ride',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      who_cancel: { type: 'str', default: 'driver', about: 'driver or user.' },
      message: { type: 'str | None', default: null, about: 'What to tell the user.' },
    },
    about: 'The ride that is on is cancelled.',
    run: (app, { who_cancel, message }) => {
      if (!['driver', 'user'].includes(who_cancel)) throw valueError("who_cancel must be either 'driver' or 'user'.");
      app.finish('CANCELLED');
      return message || CANCELLED;
    },
  }),
  tool({
    name: 'user_cancel_ride',
    operation: 'WRITE',
    returns: null,
    params: {},
    about: 'Cancels the ride that is on.',
    run: (app) => {
      app.finish('CANCELLED');
      return 'Ride has been cancelled, sorry to see you go.';
    },
  }),
  tool({
    name: 'end_ride',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'str',
    params: {},
    about: 'The ride that is on arrives.',
    run: (app) => {
      app.finish('COMPLETED');
      return 'Ride has been completed.';
    },
  }),
  tool({
    name: 'update_ride_status',
    roles: ['env'],
    operation: 'WRITE',
    returns: null,
    params: {
      status: { type: 'str', about: 'DELAYED, IN_PROGRESS or ARRIVED_AT_PICKUP.' },
      message: { type: 'str | None', default: null, about: 'What the driver says.' },
    },
    about: 'The ride that is on gets another status.',
    run: (app, { status, message }) => {
      if (!STATUSES.includes(status))
        throw valueError("status must be one of 'DELAYED', 'IN_PROGRESS', 'ARRIVED_AT_PICKUP'");
      app.current().status = status;
      const update = `Ride status has been updated to ${status}.`;
      return message ? `${update} Message from your driver: ${message}` : update;
    },
  }),
  tool({
    name: 'get_current_ride_status',
    operation: 'READ',
    returns: 'Ride',
    params: {},
    about: 'How the ride that is on stands, its delay brought up to date.',
    run: (app) => {
      if (!app.onGoing) throw valueError('No ride ordered.');
      app.updateDelay(app.onGoing);
      return copyOf(app.onGoing);
    },
  }),
  tool({
    name: 'get_ride',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: null,
    params: { idx: { type: 'int', about: 'Place in the history, from 0.' } },
    about: 'A ride of the history.',
    run: (app, { idx }) => {
      const ride = app.rides[idx];
      if (!ride) throw indexError('Ride does not exist.');
      return copyOf(ride);
    },
  }),
  tool({
    name: 'get_ride_history',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'dict[str, Any]',
    params: {
      offset: { type: 'int', default: 0, about: 'How many rides to skip.' },
      limit: { type: 'int', default: 10, about: 'How many rides to return at most.' },
    },
    about: 'Rides by their place in the history, with the range shown and the total.',
    run: ({ rides }, { offset, limit }) => ({
      rides: Object.fromEntries(rides.slice(offset, offset + limit).map((ride, i) => [offset + i, copyOf(ride)])),
      range: [offset, Math.min(offset + limit, rides.length)],
      total: rides.length,
    }),
  }),
  tool({
    name: 'get_ride_history_length',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'int',
    params: {},
    about: 'How many rides the history has.',
    run: (app) => app.rides.length,
  }),
];

export const cabApp = (name?: string): CabApp => new CabApp(name, TOOLS);
