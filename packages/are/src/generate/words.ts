// The words of generated universes. Held-out universes use separate lists, so that none of their words occurs in training.

export interface Words {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly cities: readonly string[];
  readonly jobs: readonly string[];
  /** Titles of calendar events. */
  readonly occasions: readonly string[];
  /** Subjects of mails. */
  readonly subjects: readonly string[];
  readonly products: readonly string[];
  readonly flats: readonly string[];
  readonly areas: readonly string[];
  readonly places: readonly string[];
  /** Sentences of messages to people. */
  readonly sentences: readonly string[];
}

const TRAINING: Words = {
  first: [
    'Ana',
    'Bo',
    'Cem',
    'Dora',
    'Emil',
    'Fay',
    'Gus',
    'Hana',
    'Ivo',
    'Jana',
    'Kai',
    'Lena',
    'Milo',
    'Nora',
    'Otto',
  ],
  last: ['Ruiz', 'Lind', 'Okoye', 'Stein', 'Haddad', 'Moreau', 'Novak', 'Tanaka', 'Weiss', 'Kaya', 'Berg', 'Silva'],
  cities: ['Oslo', 'Lyon', 'Porto', 'Graz', 'Turin', 'Ghent', 'Cork', 'Malmo'],
  jobs: ['Baker', 'Pilot', 'Nurse', 'Tailor', 'Judge', 'Potter', 'Florist', 'Editor'],
  occasions: [
    'Dentist',
    'Budget Review',
    'Choir',
    'Book Club',
    'Yoga Class',
    'Team Lunch',
    'Parent Evening',
    'Haircut',
  ],
  subjects: [
    'Invoice',
    'Weekend Trip',
    'Garden Plan',
    'Old Photos',
    'Rent Increase',
    'New Recipe',
    'Lost Keys',
    'Tickets',
  ],
  products: ['Rain Jacket', 'Desk Lamp', 'Tea Pot', 'Backpack', 'Wool Scarf', 'Alarm Clock'],
  flats: ['Harbour View', 'Mill House', 'Garden Court', 'Tower Loft', 'Station Rooms', 'Park Corner'],
  areas: ['Old Town', 'Riverside', 'North Hill'],
  places: ['Central Station', 'City Museum', 'Airport', 'Harbour', 'Opera House', 'Stadium'],
  sentences: [
    'The meeting moves to the large room.',
    'Please bring the signed contract.',
    'Dinner is ready at eight.',
    'The parcel has arrived.',
    'Thank you for the kind letter.',
    'The train leaves from platform four.',
    'Please water the plants.',
    'The report is finished.',
  ],
};

const HELD_OUT: Words = {
  first: ['Pia', 'Quinn', 'Rosa', 'Sven', 'Tara', 'Udo', 'Vera', 'Wim', 'Xenia', 'Yuri', 'Zoe', 'Arlo'],
  last: ['Dubois', 'Fischer', 'Garcia', 'Ibrahim', 'Jensen', 'Kovacs', 'Larsen', 'Mbeki', 'Nilsson', 'Orlov'],
  cities: ['Bergen', 'Nantes', 'Braga', 'Linz', 'Parma', 'Bruges', 'Galway', 'Lund'],
  jobs: ['Carpenter', 'Surgeon', 'Teacher', 'Plumber', 'Painter', 'Lawyer', 'Farmer', 'Dancer'],
  occasions: [
    'Eye Test',
    'Sales Call',
    'Rehearsal',
    'Chess Night',
    'Swimming',
    'Farewell Drinks',
    'School Play',
    'Car Service',
  ],
  subjects: [
    'Contract Draft',
    'Birthday Plans',
    'Roof Repair',
    'Holiday House',
    'Tax Letter',
    'Spare Room',
    'Piano Lessons',
    'Survey',
  ],
  products: ['Picnic Blanket', 'Floor Fan', 'Coffee Mill', 'Suitcase', 'Linen Shirt', 'Wall Mirror'],
  flats: ['Lake Terrace', 'Chapel Yard', 'Orchard End', 'Bridge Studio', 'Market Rooms', 'Meadow Place'],
  areas: ['East Quay', 'Castle Side', 'South Field'],
  places: ['Main Library', 'Botanic Garden', 'Ferry Port', 'Town Hall', 'Concert Hall', 'Ice Rink'],
  sentences: [
    'The lecture begins one hour later.',
    'Please send the final drawing.',
    'Breakfast is in the blue kitchen.',
    'The bicycle has been repaired.',
    'Many thanks for the helpful advice.',
    'The bus stops behind the church.',
    'Please feed the cat.',
    'The translation is complete.',
  ],
};

export const wordsOf = (isHeldOut: boolean): Words => (isHeldOut ? HELD_OUT : TRAINING);
