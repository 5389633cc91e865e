export {
  iteratorAgeAlarm,
  madeByStator,
  type RecommendedAlarm,
  recommendedAlarms,
} from '../observe/alarms/recommended-alarms.ts';
export { type CheckId, checkList, type DoctorCheck, type Severity } from './check-list.ts';
export { alarmedTable } from './checks/check-settings.ts';
export { Doctor, type DoctorOptions, type DoctorReport, defaultBudget, defaultMinutes } from './doctor.ts';
export { type Endpoint, ownPattern, type ServiceName, type StatorView } from './endpoint.ts';
export type { Finding } from './finding.ts';
export { bySeverity } from './finding.ts';
export { each, listTables, lookAtTable } from './look-at-tables.ts';
export { missingTables } from './missing-tables.ts';
export { type Consumed, type NotSeen, Questions, readOnlyOperations } from './questions.ts';
export { armsOf } from './table-view.ts';
