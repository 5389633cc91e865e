/** How a statement about the service is known. The order is that of trust. */
export const grades = ['documented', 'observed', 'paper', 'inferred', 'guess'] as const;
export type Grade = (typeof grades)[number];

/** What each grade means, for the page. */
export const meanings: Readonly<Record<Grade, string>> = {
  documented: 'AWS publishes it: a guide, a reference, a service model, the source of an SDK.',
  observed:
    'The live service answered so, to a third party that published it. Stator itself has not been run against AWS.',
  paper: 'A paper of the team that builds DynamoDB says so.',
  inferred:
    "It follows from what is known: from neighbouring cases, from AWS's own emulator, from a parser that AWS publishes.",
  guess: 'No source is known. Stator does what seems likely.',
};

export interface Source {
  /** As marks cite it. */
  readonly name: string;
  readonly grade: Grade;
  readonly meaning: string;
  readonly date: string;
  readonly url?: string;
}

/** Everything that a mark may cite. */
export const sources: readonly Source[] = [
  {
    name: 'Developer Guide',
    grade: 'documented',
    meaning:
      'Amazon DynamoDB Developer Guide; the mark names the page by its address, or by its title in quotes.',
    date: '2026',
    url: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/',
  },
  {
    name: 'API Reference',
    grade: 'documented',
    meaning: 'API references of DynamoDB and, where the mark says so, of Kinesis.',
    date: '2026',
    url: 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/',
  },
  {
    name: 'service model',
    grade: 'documented',
    meaning: 'The model of the API from which AWS generates its SDKs: members, types, constraints, errors.',
    date: 'November 2026',
    url: 'https://github.com/aws/api-models-aws',
  },
  {
    name: 'IAM documentation',
    grade: 'documented',
    meaning: 'IAM User Guide and Service Authorization Reference; the mark names the page.',
    date: '2026',
    url: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/',
  },
  {
    name: 'AWS Database Blog',
    grade: 'documented',
    meaning: 'Articles of the DynamoDB team; the mark names the article.',
    date: 'as read in 2026',
    url: 'https://aws.amazon.com/blogs/database/',
  },
  {
    name: 'AWS prices',
    grade: 'documented',
    meaning: "The AWS Price List, the pricing pages and AWS's own tool for reserved capacity.",
    date: 'August and October 2026',
    url: 'https://aws.amazon.com/dynamodb/pricing/',
  },
  {
    name: 'SDK sources',
    grade: 'documented',
    meaning: "The published source of AWS's SDKs and of the AWS CLI; the mark names the package.",
    date: 'November 2026',
    url: 'https://github.com/aws/aws-sdk-js-v3',
  },
  {
    name: 'ACK',
    grade: 'observed',
    meaning:
      'API notes of the AWS Controllers for Kubernetes: probes of us-west-2 and us-east-1. An id such as DDB-TABLE-216 is the ' +
      'heading of a finding in them.',
    date: '8 and 9 October 2026',
    url: 'https://github.com/aws-controllers-k8s/dynamodb-controller/tree/main/docs/api-quirks',
  },
  {
    name: 'conformance suite',
    grade: 'observed',
    meaning:
      'dynamodb-conformance, run against the live service in up to 33 Regions, with a registry of the Regions that answer ' +
      'otherwise. Names such as `o_put_three_bad_enums` are its probes.',
    date: 'June to October 2026',
    url: 'https://github.com/paritysuite/dynamodb-conformance',
  },
  {
    name: "Alternator's tests",
    grade: 'observed',
    meaning: "Tests of ScyllaDB's DynamoDB API, written to pass on AWS too and run there by their authors.",
    date: 'as read in 2026',
    url: 'https://github.com/scylladb/scylladb/tree/master/test/alternator',
  },
  {
    name: "dynalite's tests",
    grade: 'observed',
    meaning:
      'Tests and code of dynalite, made by comparison with the live service. Wording may have drifted since.',
    date: '2013 to about 2020',
    url: 'https://github.com/architect/dynalite',
  },
  {
    name: "dynoxide's captures",
    grade: 'observed',
    meaning: 'Answers of the live service (eu-west-2, us-east-1) kept with the tests of dynoxide.',
    date: '2026',
    url: 'https://github.com/nubo-db/dynoxide',
  },
  {
    name: "ExtendDB's tests",
    grade: 'observed',
    meaning: 'Probes of the live service in the tests, issues and pull requests of ExtendDB.',
    date: '2026',
    url: 'https://github.com/ExtendDB/extenddb',
  },
  {
    name: "floci's captures",
    grade: 'observed',
    meaning: 'Answers of the live service (eu-west-2) kept with the tests of floci.',
    date: 'September 2026',
    url: 'https://github.com/floci-io/floci',
  },
  {
    name: "moto's AWS tests",
    grade: 'observed',
    meaning: 'Tests of moto that are marked as verified on AWS.',
    date: 'as read in 2026',
    url: 'https://github.com/getmoto/moto',
  },
  {
    name: "LocalStack's snapshots",
    grade: 'observed',
    meaning: 'Answers of AWS that LocalStack recorded to compare its own with.',
    date: 'as read in 2026',
    url: 'https://github.com/localstack/localstack',
  },
  {
    name: 'user reports',
    grade: 'observed',
    meaning:
      'Texts of the live service that users quote in issues, logs and exported files; the mark names what is known of the place.',
    date: 'as the mark says',
  },
  {
    name: 'public captures',
    grade: 'observed',
    meaning:
      'Recorded answers of the live service in public test suites of these years. The note of it did not keep which suite: ' +
      'mostly the conformance suite and those of the emulators above.',
    date: '2025 and 2026',
  },
  {
    name: 'public suites before 2024',
    grade: 'observed',
    meaning: 'The same, from older suites; wording may have drifted since.',
    date: 'before 2024',
  },
  {
    name: 'published load test',
    grade: 'observed',
    meaning: 'One load test of the live service whose author published the figures.',
    date: 'not kept',
  },
  {
    name: 'ATC 2022',
    grade: 'paper',
    meaning:
      '"Amazon DynamoDB: A Scalable, Predictably Performant, and Fully Managed NoSQL Database Service", USENIX ATC 2022.',
    date: '2022',
    url: 'https://www.usenix.org/conference/atc22/presentation/elhemali',
  },
  {
    name: 'ATC 2023',
    grade: 'paper',
    meaning: '"Distributed Transactions at Scale in Amazon DynamoDB", USENIX ATC 2023.',
    date: '2023',
    url: 'https://www.usenix.org/conference/atc23/presentation/idziorek',
  },
  {
    name: 'DynamoDB Local',
    grade: 'inferred',
    meaning: "AWS's emulator answers so. It shares code with the service, and differs from it elsewhere.",
    date: '3.3, 2026',
    url: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.html',
  },
  {
    name: 'PartiQL parser',
    grade: 'inferred',
    meaning: 'The open parser of PartiQL for the JVM, whose texts the service answers.',
    date: '2020 to 2022',
    url: 'https://github.com/partiql/partiql-lang-kotlin',
  },
  {
    name: 'reimplementations',
    grade: 'inferred',
    meaning: 'Several emulators agree without saying from where they know it.',
    date: '2026',
  },
];
