import Flare
import JSON

// What is measured inside a process, and the place that all benchmarks use.
//
//     trilateral-bench model COUNT       a model with so many lamps, for import, on standard output
//     trilateral-bench model COUNT profiles   the same, with something else that has a profile for every second lamp
//     trilateral-bench model COUNT receivers  the same, with a receiver among every 125 lamps
//     trilateral-bench move FOLDER       the cost of a move, against one row written by SQLite
//     trilateral-bench adverts           the cost of an advertising report through parsing and filter
//     trilateral-bench position          the cost of an advertising packet, against reading its bytes
//     trilateral-bench walk PLACE        the capture of a walk with a thousand packets a second, on standard output
//     trilateral-bench grid              the cost of an update of the grid estimator, and its allocations if counted
//     trilateral-bench survey            the cost of fitting a radio map
//     trilateral-bench profiles          the cost of reading and checking profiles, against parsing the JSON, and of
//                                        finding the profile of a thing
//     trilateral-bench people            the cost of the check who may do what
//     trilateral-bench people DATABASE   as many users, groups and grants as there may be, into the store of a daemon;
//                                        fifty tokens on standard output
//     trilateral-bench bindings THINGS DATABASE   bindings of every second thing, into the store of a daemon
//     trilateral-bench rules             the cost of a simulated year, of the next time of a schedule, and of a change of a
//                                        thing in the engine
//     trilateral-bench rules COUNT DATABASE [watching]   so many rules, and users who make them, into the store of a daemon;
//                                        those that watch never fire
//     trilateral-bench history FOLDER SECONDS   the cost of so much of a day of a thousand things, and of queries, beside
//                                        bare tables

switch Array(CommandLine.arguments.dropFirst()) {
case let words
where words.first == "model" && words.count > 1 && (1...100_000).contains(Int(words[1]) ?? 0)
    && (words.count == 2 || words[2...] == ["profiles"] || words[2...] == ["receivers"]):
    let place = BenchmarkPlace(
        things: Int(words[1]) ?? 1,
        hasProfiles: words.contains("profiles"),
        hasReceivers: words.contains("receivers")
    )
    print(place.json.text)
case let words where words.count == 2 && words[0] == "move":
    try await MoveBenchmark(folder: words[1]).run()
case let words where words.count == 2 && words[0] == "walk":
    try WalkBenchmark(place: words[1]).run()
case ["adverts"]:
    AdvertBenchmark().run()
    try await ScanBenchmark().run()
case ["position"]:
    PositionBenchmark().run()
case ["grid"]:
    GridBenchmark().run()
case ["survey"]:
    SurveyBenchmark().run()
case ["profiles"]:
    try ProfileBenchmark().run()
case ["people"]:
    PeopleBenchmark().run()
case let words where words.count == 2 && words[0] == "people":
    for token in try BenchmarkPeople(things: 1_000).fill(words[1]) { print(token) }
case let words where words.count == 3 && words[0] == "bindings" && (20...20_000).contains(Int(words[1]) ?? 0):
    try BenchmarkBindings(things: Int(words[1]) ?? 20).fill(words[2])
case ["rules"]:
    try RulesBenchmark().run()
case let words
where words.count >= 3 && words[0] == "rules" && (0...BenchmarkRules.most).contains(Int(words[1]) ?? -1)
    && (words.count == 3 || words[3...] == ["watching"]):
    try BenchmarkRules(count: Int(words[1]) ?? 0, kind: words.count == 3 ? .mixed : .watching).fill(words[2])
case let words where words.count == 3 && words[0] == "history" && (60...86_400).contains(Int(words[2]) ?? 0):
    try await HistoryBenchmark(folder: words[1], seconds: Int(words[2]) ?? 60).run()
default:
    print(
        "usage: trilateral-bench model COUNT [profiles | receivers] | move FOLDER | adverts | position | grid | survey | "
            + "walk PLACE | profiles | people [DATABASE] | bindings THINGS DATABASE | "
            + "rules [COUNT DATABASE [watching]] | history FOLDER SECONDS"
    )
}
