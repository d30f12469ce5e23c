import Controller
import Daemon
import Flare
import Settings
import TestSupport
import Testing

/// Names in a configuration that the state folder does not know.
@Suite struct UnknownNameTests {
    private let home = FlareID(high: 1, low: 1)
    private let lamp = ObjectReference(.thing, FlareID(high: 1, low: 2))
    private let kitchen = ObjectReference(.zone, FlareID(high: 1, low: 3))

    private func problems(_ readOnly: [String], links: [String] = [], in folder: TemporaryFolder) throws
        -> [String]
    {
        var values = TrilateralConfiguration()
        values.control.readOnly = readOnly
        values.links = links.enumerated().map { index, thing in
            var link = LampSettings(number: index + 1)
            link.thing = thing
            return link
        }
        return try StateStore(folder: folder.url).unknownNames(of: values)
    }

    @Test func `without a place nothing is known to be wrong`() async throws {
        try await withTemporaryFolder { folder in
            let found = try problems(["nonsense"], links: ["x"], in: folder)
            #expect(found == [])
        }
    }

    @Test func `names that nothing has are listed with the nearest one`() async throws {
        try await withTemporaryFolder { folder in
            try StateStore(folder: folder.url).save([
                .slug("desk-lamp", lamp, home: home), .slug("kitchen", kitchen, home: home),
                .link("Old lamp", lamp.id),
            ])
            let good = ["desk-lamp", "kitchen", "\(lamp.id)", "all"]
            #expect(try problems(good, links: ["Desk lamp", "Old lamp"], in: folder) == [])
            #expect(
                try problems(["desk-lmp", "nonsense"], links: ["kitchen"], in: folder) == [
                    "control.read_only names \"desk-lmp\", which is no thing or zone; did you mean \"desk-lamp\"?",
                    "control.read_only names \"nonsense\", which is no thing or zone",
                    "links names \"kitchen\", which is no thing",
                ]
            )
        }
    }
}
