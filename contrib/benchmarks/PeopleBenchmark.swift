import Flare
import People
import Positioning

/// What the one check costs among as many users, groups and grants as there may be.
struct PeopleBenchmark {
    private static let things = 1_000
    private static let rounds = 200
    private static let verdictsOfRound = 1_000
    private static let now: Int64 = 2_000_000_000_000

    func run() {
        let people = BenchmarkPeople(things: Self.things)
        let table = AccessTable(users: people.users, groups: people.groups, grants: people.grants)
        var generator = SeededGenerator(seed: 2)
        let questions = (0..<Self.verdictsOfRound).map { _ in
            let thing = Int.random(in: 0..<Self.things, using: &generator)
            let user = people.users[Int.random(in: 0..<people.users.count, using: &generator)]
            return (
                caller: Caller.user(user.id),
                access: Access.allCases[Int.random(in: 0..<Access.allCases.count, using: &generator)],
                object: AccessObject.thing(
                    BenchmarkPlace.thing(thing),
                    zone: BenchmarkPlace.zone(of: thing),
                    environment: BenchmarkPlace.environment
                )
            )
        }
        var (times, granted) = ([Double](), 0)
        // The first round warms up and is not counted.
        for round in 0...Self.rounds {
            granted = 0
            let took = ContinuousClock().measure {
                for question in questions {
                    let verdict = table.verdict(
                        of: question.caller,
                        question.access,
                        on: question.object,
                        at: Self.now
                    )
                    if verdict.isGranted { granted += 1 }
                }
            }
            if round > 0 { times.append(took.nanoseconds / Double(Self.verdictsOfRound)) }
        }
        precondition((10..<Self.verdictsOfRound - 10).contains(granted), "\(granted) of all are granted")
        Row.print(
            "a verdict among \(people.users.count + 1) users, \(people.groups.count) groups and "
                + "\(people.grants.count + 3) grants, of which \(granted * 100 / Self.verdictsOfRound) % are granted",
            times.median,
            aim: 1_000
        )
    }
}
