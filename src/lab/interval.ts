const choices = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];

/** The length of the intervals of a report, in seconds: at most 60 of them, and whole parts of minutes. */
export function intervalSeconds(seconds: number): number {
  return choices.find((one) => seconds / one <= 60) ?? 14_400;
}
