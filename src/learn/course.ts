import type { Chapter, Exercise } from './exercise.ts';
import { backPressure } from './exercises/back-pressure.ts';
import { backfill } from './exercises/backfill.ts';
import { busyQueue } from './exercises/busy-queue.ts';
import { counter } from './exercises/counter.ts';
import { expiredIsGone } from './exercises/expired-is-gone.ts';
import { firstAlarm } from './exercises/first-alarm.ts';
import { fortyPercent } from './exercises/forty-percent.ts';
import { hotShipment } from './exercises/hot-shipment.ts';
import { lastTicket } from './exercises/last-ticket.ts';
import { lostAnswer } from './exercises/lost-answer.ts';
import { measureTheTraffic } from './exercises/measure-the-traffic.ts';
import { narrowProjection } from './exercises/narrow-projection.ts';
import { oneIndex } from './exercises/one-index.ts';
import { oneQuery } from './exercises/one-query.ts';
import { oneScreen } from './exercises/one-screen.ts';
import { orderOfSteps } from './exercises/order-of-steps.ts';
import { pageToTheEnd } from './exercises/page-to-the-end.ts';
import { patternList } from './exercises/pattern-list.ts';
import { poisonRecord } from './exercises/poison-record.ts';
import { readTheBill } from './exercises/read-the-bill.ts';
import { seenTwice } from './exercises/seen-twice.ts';
import { sendAgain } from './exercises/send-again.ts';
import { sortingText } from './exercises/sorting-text.ts';
import { sparseQueue } from './exercises/sparse-queue.ts';
import { stateMachine } from './exercises/state-machine.ts';
import { uniqueEmail } from './exercises/unique-email.ts';

/** The course in its order. The folders under `course/` are numbered by it. */
export const chapters: readonly Chapter[] = [
  { id: 'inventory', title: 'Inventory', exercises: [readTheBill, patternList, measureTheTraffic] },
  { id: 'keys', title: 'Keys', exercises: [oneQuery, sortingText, oneScreen, pageToTheEnd] },
  { id: 'hot-keys', title: 'Hot keys', exercises: [hotShipment, counter, busyQueue, sendAgain] },
  {
    id: 'correctness',
    title: 'Correctness',
    exercises: [lastTicket, uniqueEmail, stateMachine, lostAnswer, seenTwice],
  },
  {
    id: 'index-cost',
    title: 'What an index costs',
    exercises: [sparseQueue, narrowProjection, oneIndex, backPressure],
  },
  { id: 'evolution', title: 'Evolution', exercises: [backfill, orderOfSteps, expiredIsGone] },
  { id: 'runbooks', title: 'Runbooks', exercises: [fortyPercent, poisonRecord, firstAlarm] },
];

/** An exercise and where it stands. */
export interface Place {
  readonly chapter: Chapter;
  readonly exercise: Exercise;
  /** `3.1` */
  readonly number: string;
  /** `3-hot-keys/1-hot-shipment`, below `course/` and in the learner's folder. */
  readonly folder: string;
}

export const places: readonly Place[] = chapters.flatMap((chapter, at) =>
  chapter.exercises.map((exercise, within) => ({
    chapter,
    exercise,
    number: `${at + 1}.${within + 1}`,
    folder: `${at + 1}-${chapter.id}/${within + 1}-${exercise.id}`,
  })),
);

/** Finds an exercise by its id, its number, its folder, or a path that ends with it. */
export function findPlace(word: string): Place | undefined {
  const given = word.replaceAll('\\', '/').replace(/\/+$/, '');
  return places.find(
    ({ exercise, number, folder }) =>
      given === exercise.id || given === number || given === folder || given.endsWith(`/${folder}`),
  );
}
