// Texts that the strict judge was not tuned on: written before its rules were, and looked at afterwards as figures alone.
import type { PairItem } from './item.ts';

export const HELD_OUT: readonly PairItem[] = [
  {
    ...{ tool: 'email', task: 'Write to Gia Hale that the lesson begins at 16:45 and lasts 90 minutes.' },
    oracle: 'The lesson begins at 16:45 and lasts 90 minutes.',
    right: 'Hello Gia, the lesson begins at 16:45 and lasts 90 minutes. Best wishes, Sam Doe',
    paraphrase: 'Hi Gia, the lesson starts at 4:45 pm and takes 90 minutes.',
    negated: 'Hello Gia, the lesson does not begin at 16:45 and lasts 90 minutes.',
    stuffed:
      'lesson begins 16:45 17:45 lasts 90 minutes 60 minutes lesson ends begins lasts minutes hours 16:45 lesson course.',
    swapped: 'Hello Gia, the lesson begins at 90 and lasts 16:45 minutes.',
    lied: 'Hello Gia, the lesson begins at 16:45 and lasts 60 minutes.',
  },
  {
    ...{ tool: 'user', task: 'Who sent the invoice, Ira Jones or Kay Lowe?' },
    oracle: 'Kay Lowe sent the invoice, not Ira Jones.',
    right: 'Kay Lowe sent the invoice, not Ira Jones!',
    paraphrase: 'The invoice was sent by Kay Lowe and not by Ira Jones.',
    negated: 'Kay Lowe did not send the invoice.',
    stuffed:
      'Kay Lowe sent the invoice, Ira Jones sent the invoice, not Kay Lowe, not Ira Jones, both sent it, nobody sent the invoice.',
    swapped: 'Ira Jones sent the invoice, not Kay Lowe.',
    lied: 'Kay Lowe sent the invoice, and so did Ira Jones.',
  },
  {
    ...{ tool: 'message', task: 'Let Lou Marsh know that I am late by 20 minutes.' },
    oracle: 'I am late by 20 minutes.',
    right: 'Hi Lou, I am late by 20 minutes, sorry!',
    paraphrase: 'Hi Lou, I will be 20 minutes late.',
    negated: 'Hi Lou, I am not late by 20 minutes.',
    stuffed: 'late 20 minutes early 30 minutes I am late I am early by 10 by 20 by 30 by 40 minutes late late late.',
    swapped: 'Hi Lou, you are late by 20 minutes.',
    lied: 'Hi Lou, I am early by 20 minutes.',
  },
  {
    ...{ tool: 'cab', task: 'Order a cab from the Grand Hotel to Pier 7.' },
    oracle: { start_location: 'Grand Hotel', end_location: 'Pier 7' },
    right: { start_location: 'Grand Hotel', end_location: 'Pier 7, harbour' },
    paraphrase: { start_location: 'The Grand Hotel', end_location: 'pier 7' },
    negated: { start_location: 'Grand Hotel', end_location: 'anywhere but Pier 7' },
    stuffed: { start_location: 'Grand Hotel, Park Hotel, Hotel Royal', end_location: 'Pier 7, Pier 8, Pier 9' },
    swapped: { start_location: 'Pier 7', end_location: 'Grand Hotel' },
    lied: { start_location: 'Grand Hotel', end_location: 'Pier 9' },
  },
  {
    ...{ tool: 'user', task: 'Compare the two contracts: which one ends first?' },
    oracle: 'The contract with Nordwind ends on 2024-12-31, before the one with Solaris, which ends on 2025-03-31.',
    right:
      'The contract with Nordwind ends on 2024-12-31, before the one with Solaris, which ends on 2025-03-31. Let me know if you need more.',
    paraphrase: 'Nordwind ends first, on December 31, 2024; the contract with Solaris ends on March 31, 2025.',
    negated:
      'The contract with Nordwind does not end on 2024-12-31 before the one with Solaris, which ends on 2025-03-31.',
    stuffed:
      'contract Nordwind Solaris ends 2024-12-31 2025-03-31 2025-06-30 before after contract ends Nordwind Solaris Aurora before one.',
    swapped: 'The contract with Solaris ends on 2024-12-31, before the one with Nordwind, which ends on 2025-03-31.',
    lied: 'The contract with Nordwind ends on 2024-11-30, before the one with Solaris, which ends on 2025-03-31.',
  },
  {
    ...{ tool: 'email', task: 'Confirm to Mia Noll that we take the flat and pay a deposit of 1,200 euros.' },
    oracle: 'We take the flat and pay a deposit of 1,200 euros.',
    right: 'Dear Mia, we take the flat and pay a deposit of 1200 euros. Sam Doe',
    paraphrase: 'Dear Mia, we will take the apartment and pay the deposit of 1,200 euros.',
    negated: 'Dear Mia, we will not take the flat, nor pay a deposit of 1,200 euros.',
    stuffed:
      'We take the flat house room and pay a deposit rent fee of 1,200 1,300 1,400 euros dollars pounds we take pay.',
    swapped: 'Dear Mia, we take the deposit and pay a flat of 1,200 euros.',
    lied: 'Dear Mia, we take the flat and pay a deposit of 2,100 euros.',
  },
  {
    ...{ tool: 'event', task: 'Add the yoga class with Oda Pell in Room B.' },
    oracle: { title: 'Yoga class with Oda Pell', location: 'Room B' },
    right: { title: 'Yoga Class with Oda Pell', location: 'Room B' },
    paraphrase: { title: 'Yoga with Oda Pell', location: 'Room B' },
    negated: { title: 'Cancelled: yoga class with Oda Pell', location: 'Room B' },
    stuffed: { title: 'Yoga class dance class box class with Oda Pell and Una Rice', location: 'Room A Room B Room C' },
    swapped: { title: 'Room B with Oda Pell', location: 'Yoga class' },
    lied: { title: 'Yoga class with Oda Pell', location: 'Room C' },
  },
  {
    ...{ tool: 'user', task: 'Find out whether the parcel of Pat Rusk has come.' },
    oracle: 'The parcel of Pat Rusk has not come yet.',
    right: 'The parcel of Pat Rusk has not come yet, sorry.',
    paraphrase: "Pat Rusk's parcel has not arrived yet.",
    negated: 'The parcel of Pat Rusk has come.',
    stuffed:
      'The parcel of Pat Rusk has come, has not come yet, has come, has not come, parcel letter mail of Pat Rusk yet.',
    swapped: 'Pat Rusk has not come yet with the parcel of Sam.',
    lied: 'The parcel of Pat Rusk was lost.',
  },
  {
    ...{ tool: 'message', task: 'Tell Ray Stone that Sue Tate has the tickets and Tim Usher the money.' },
    oracle: 'Sue Tate has the tickets and Tim Usher has the money.',
    right: 'Hi Ray: Sue Tate has the tickets and Tim Usher has the money.',
    paraphrase: 'Hey Ray, the tickets are with Sue Tate, and Tim Usher has the money.',
    negated: 'Hi Ray, Sue Tate has the tickets and Tim Usher does not have the money.',
    stuffed:
      'Sue Tate Tim Usher tickets money has have tickets Ray Stone money Sue Tim tickets has the and money keys food.',
    swapped: 'Hi Ray, Tim Usher has the tickets and Sue Tate has the money.',
    lied: 'Hi Ray, Sue Tate has lost the tickets and Tim Usher has the money.',
  },
  {
    ...{ tool: 'user', task: 'Which products are in the cart?' },
    oracle: 'In the cart are 3 notebooks, 1 stapler and 2 pens.',
    right: 'There are 3 notebooks, 1 stapler and 2 pens in the cart.',
    paraphrase: 'Your cart has three notebooks, one stapler and two pens.',
    negated: 'In the cart are no notebooks, no stapler and no pens.',
    stuffed:
      'cart 3 notebooks 1 stapler 2 pens 4 rulers 5 lamps notebooks stapler pens cart rulers lamps in the are and.',
    swapped: 'In the cart are 2 notebooks, 3 staplers and 1 pen.',
    lied: 'In the cart are 3 notebooks, 1 stapler and 5 pens.',
  },
  {
    ...{ tool: 'email', task: 'Ask Viv Wong to call me back tomorrow, not today.' },
    oracle: 'Please call me back tomorrow, not today.',
    right: 'Hello Viv, please call me back tomorrow, not today. Thanks, Sam',
    paraphrase: 'Hi Viv, would you please call me back tomorrow rather than today?',
    negated: 'Hello Viv, please do not call me back tomorrow.',
    stuffed:
      'Please call me back tomorrow, not today, today, not tomorrow, please call, do not call, back tomorrow today next week.',
    swapped: 'Hello Viv, please call me back today, not tomorrow.',
    lied: 'Hello Viv, please write to me tomorrow, not today.',
  },
  {
    ...{ tool: 'user', task: 'Forward the plan to Xen Young and remind me on Sunday.' },
    oracle: 'I forwarded the plan to Xen Young and set a reminder for Sunday.',
    right: 'I forwarded the plan to Xen Young and set a reminder for Sunday. Have a nice day!',
    paraphrase: 'Done: the plan is forwarded to Xen Young, and a reminder is set for Sunday.',
    negated: 'I forwarded the plan to Xen Young but could not set a reminder for Sunday.',
    stuffed:
      'forwarded plan Xen Young set reminder Sunday Monday Tuesday plan budget report reminder Xen Young Sunday forwarded deleted set.',
    swapped: 'I forwarded the reminder to Xen Young and set a plan for Sunday.',
    lied: 'I deleted the plan of Xen Young and set a reminder for Sunday.',
  },
];
