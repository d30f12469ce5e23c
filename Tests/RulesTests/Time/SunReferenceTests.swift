import Flare
import JSON
import Rules
import SeededRandom
import Testing

/// Schedules of the sun against all days around an instant, anywhere on the earth.
struct SunReferenceTests {
    private struct Time {
        let text: String
        let event: SunEvent
        /// Seconds.
        let offset: Int64

        init(_ random: inout SplitMix64) {
            event = random.chance(2) ? .sunrise : .sunset
            let minutes = random.chance(2) ? 0 : random.number(below: 23 * 60)
            let isBefore = random.chance(2)
            offset = Int64(isBefore ? -minutes : minutes) * 60
            let clock = TimeOfDay(seconds: minutes * 60)?.description ?? ""
            text = minutes == 0 ? event.rawValue : "\(event.rawValue)\(isBefore ? "-" : "+")\(clock)"
        }

        func instant(_ day: Int, _ zone: ZoneTable, _ place: GeoPoint) -> Int64? {
            Sun.instant(of: event, on: CivilDate(dayNumber: day), in: zone, at: place)
                .map { $0 + offset * 1000 }
        }
    }

    /// The runs of days in a row: each ends at the first end after its start.
    private static func runs(
        _ days: ClosedRange<Int>,
        _ start: Time,
        _ end: Time?,
        _ zone: ZoneTable,
        _ place: GeoPoint
    ) -> [Occurrence] {
        let runs = days.compactMap { day -> Occurrence? in
            guard let begin = start.instant(day, zone, place) else { return nil }
            guard let end else { return Occurrence(start: begin) }
            for endDay in day...day + 3 {
                guard let finish = end.instant(endDay, zone, place) else { return nil }
                if finish > begin { return Occurrence(start: begin, end: finish) }
            }
            return nil
        }
        return runs.sorted { $0.start < $1.start }
    }

    @Test func `runs by the sun are those of the days around an instant`() throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<Fuzz.count / 20 {
            let place = GeoPlaces.random(&random)
            // Mostly a zone of the place, with the noon on the clock near that of the sun.
            let isOfPlace = !random.chance(4)
            let hours = isOfPlace ? Int((place.longitude / 15).rounded()) : random.number(below: 25) - 12
            let zone = try #require(ZoneTable(offset: hours * 3600))
            let start = Time(&random)
            let end = random.chance(2) ? Time(&random) : nil
            var members: JSONObject = ["startTimeEachDay": .string(start.text)]
            members["endTimeEachDay"] = end.map { .string($0.text) }
            let schedule = try Schedule(members, at: "")
            let day = 20_000 + random.number(below: 2_000)
            let instant = Int64(day) * 86_400_000 + Int64(random.number(below: 86_400)) * 1000
            let runs = Self.runs(day - 5...day + 5, start, end, zone, place)
            let comment = "\(members) at \(place), \(hours) h: \(instant)"
            if let next = runs.first(where: { $0.start > instant }) {
                #expect(schedule.next(after: instant, in: zone, at: place) == next, "\(comment)")
            }
            if let latest = runs.last(where: { $0.start <= instant }) {
                #expect(schedule.latest(through: instant, in: zone, at: place) == latest, "\(comment)")
            }
        }
    }
}
