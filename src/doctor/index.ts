export {
  iteratorAgeAlarm,
  madeByStator,
  type RecommendedAlarm,
  recommendedAlarms,
} from '../observe/alarms/recommended-alarms.ts';
export { type CheckId, checkList } from './check-list.ts';
export { alarmedTable } from './checks/check-settings.ts';
export { Doctor, type DoctorReport } from './doctor.ts';
export type { Endpoint, ServiceName } from './endpoint.ts';
export type { Finding } from './finding.ts';
export { each, listTables, lookAtTable } from './look-at-tables.ts';
export { missingTables } from './missing-tables.ts';
export { Questions } from './questions.ts';
export { armsOf } from './table-view.ts';
