// All app classes, by the names of the reference. The first table has those that a scenario file may name; the others are for scenarios
// that are programs, and a file that names one loses the app, as in the reference.
import { StatelessApp } from '../app.ts';
import type { App, AppClasses, Tool } from '../types.ts';
import { ApartmentListingApp } from './apartments/app.ts';
import { cabApp } from './cab/tools.ts';
import { CalendarApp, CalendarV2 } from './calendar.ts';
import { CityApp } from './city.ts';
import { ContactsApp } from './contacts.ts';
import { emailClientV2, mail } from './email/tools.ts';
import { sandbox } from './files/sandbox-tools.ts';
import { virtualFileSystem } from './files/virtual-tools.ts';
import { messagingApp } from './messaging/v1-tools.ts';
import { messagingAppV2 } from './messaging/v2-tools.ts';
import { ReminderApp } from './reminders.ts';
import { ShoppingApp } from './shopping/app.ts';
import { SystemApp } from './system.ts';
import { AgentUserInterface } from './user-interface.ts';

type Named = new (name?: string, className?: string) => App;
const named = (App: Named, className: string) => (name?: string) => new App(name, className);

/** Classes that a scenario file may name. */
export const IMPORTABLE_CLASSES: AppClasses = {
  AgentUserInterface: () => new AgentUserInterface(),
  App: (name) => new BareApp(name),
  ApartmentListingApp: named(ApartmentListingApp, 'ApartmentListingApp'),
  CabApp: cabApp,
  Calendar: named(CalendarApp, 'Calendar'),
  CalendarApp: named(CalendarApp, 'CalendarApp'),
  CityApp: (name) => new CityApp(name),
  Contacts: named(ContactsApp, 'Contacts'),
  ContactsApp: named(ContactsApp, 'ContactsApp'),
  EmailClientV2: emailClientV2,
  Files: (name) => sandbox(name, 'Files'),
  InternalContacts: named(ContactsApp, 'InternalContacts'),
  Mail: mail,
  MessagingAppV2: messagingAppV2,
  RentAFlat: named(ApartmentListingApp, 'RentAFlat'),
  SandboxLocalFileSystem: (name) => sandbox(name, 'SandboxLocalFileSystem'),
  Shopping: named(ShoppingApp, 'Shopping'),
  ShoppingApp: named(ShoppingApp, 'ShoppingApp'),
  SystemApp: (name) => new SystemApp(name),
  VirtualFileSystem: virtualFileSystem,
};

export const APP_CLASSES: AppClasses = {
  ...IMPORTABLE_CLASSES,
  CalendarV2: (name) => new CalendarV2(name),
  MessagingApp: messagingApp,
  ReminderApp: (name) => new ReminderApp(name),
};

// The app that does nothing (ARE's App), which a scenario file may name.

export class BareApp extends StatelessApp {
  readonly tools: readonly Tool[] = [];

  constructor(name?: string) {
    super('App', name);
  }
}
