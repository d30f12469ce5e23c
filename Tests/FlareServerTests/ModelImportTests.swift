import Flare
import FlareServer
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct ModelImportTests {
    /// Objects without the members that an import sets.
    private func contents(_ hub: FlareHub) async -> [FlareRecord] {
        var all: [FlareRecord] = []
        for kind in FlareClass.allCases {
            for record in await hub.records(kind) {
                var record = record
                record.members["created"] = nil
                record.members["modified"] = nil
                all.append(record)
            }
        }
        return all
    }

    private func filled() async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 2.5, z: 0.1))
        try await hub.update(Hall.lampObject) {
            $0["actions"] = ["on", "off"]
            $0["description"] = "A \"lamp\"\n€"
            $0["data"] = [
                "nested": [["a": [1, 2, .null]], [], [:]], "big": .numeral("12345678901234567890"),
            ]
        }
        return hub
    }

    @Test(arguments: StoreKind.allCases)
    func `an exported model is imported as the same objects`(kind: StoreKind) async throws {
        let hub = try await filled()
        let export = await hub.exportModel()
        #expect(export.orphans.isEmpty)
        let tree = try ModelTree.read(export.bytes)
        try await FlareHub.withStore(kind) { copy in
            try await copy.importModel(tree)
            #expect(await contents(copy) == contents(hub))
            #expect(await copy.exportModel().bytes == export.bytes)
        }
    }

    @Test func `the exported file is readable`() throws {
        let text = String(decoding: ModelExport(Array(Hall.records.prefix(2))).bytes, as: UTF8.self)
        #expect(
            text == """
                {
                  "environments": [
                    {
                      "_id": "0000000000000abc00000001",
                      "actions": [],
                      "data": { "distance": 2 },
                      "devices": [],
                      "name": "Hall",
                      "zones": [
                        {
                          "_id": "0000000000000abc00000002",
                          "actions": [],
                          "perimeter": {
                            "origin": { "x": 0, "y": 0 },
                            "size": { "height": 10, "width": 10 }
                          },
                          "things": []
                        }
                      ]
                    }
                  ]
                }

                """
        )
    }

    @Test func `identifiers in use are problems, and nothing is imported`() async throws {
        let hub = try await filled()
        try await hub.remove(Hall.lampObject)
        let before = await contents(hub)
        var records = Hall.records
        records[5] = FlareRecord(.thing, Hall.east, records[5].members)
        let tree = try ModelTree.read(ModelExport([records[0], records[1], records[3], records[6]]).bytes)
        await #expect { try await hub.importModel(tree) } throws: { error in
            (error as? ModelErrors)?.problems.map(\.place) == [
                "environments[0]._id", "environments[0].zones[0]._id", "environments[0].devices[0]._id",
            ]
        }
        #expect(await contents(hub) == before)
        #expect(await hub.problems(importing: tree, replacing: true).isEmpty)
    }

    @Test func `objects with an existing name are reported before the import`() async throws {
        let hub = try await filled()
        let lounge = #"{"_id": "\#(Hall.hall)", "name": "Hall", "zones": [{"name": "Lounge"}]}"#
        func tree(_ environment: String) throws -> ModelTree {
            try ModelTree.read(#"{"environments": [\#(environment)]}"#.utf8)
        }
        #expect(await hub.doubles(importing: try tree(lounge)).isEmpty)
        try await hub.importModel(tree(lounge), replacing: true)
        #expect(
            await hub.doubles(importing: try tree(lounge)).map(\.description) == [
                #"environments[0].zones[0]: a second zone called "Lounge""#
            ]
        )
        #expect(
            await hub.doubles(importing: try tree(#"{"name": "Hall", "zones": [{"name": "Lounge"}]}"#)).map(
                \.description
            ) == [#"environments[0]: a second environment called "Hall""#]
        )
        #expect(await hub.doubles(importing: try ModelTree.read(ModelExport(Hall.records).bytes)).isEmpty)
    }

    @Test func `replacing changes existing objects, adds new ones and removes none`() async throws {
        let hub = try await filled()
        let created = await hub.record(Hall.lampObject)?.members["created"]
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("part", to: Hall.hallObject, all: true, isInProcess: true, collector)
        var records = Hall.records
        records[3].members["name"] = "New lamp"
        records.append(Hall.thing(Hall.id(80), in: Hall.west, x: 2))
        records.remove(at: 4)
        try await hub.importModel(ModelTree.read(ModelExport(records).bytes), replacing: true)
        let lamp = await hub.record(Hall.lampObject)
        #expect(lamp?.members["name"] == "New lamp" && lamp?.members["description"] == nil)
        #expect(lamp?.members["created"] == created)
        #expect(
            await hub.records(.thing).map(\.id) == [Hall.lamp, Hall.sofa, Hall.sign, Hall.id(80)]
        )
        #expect(
            await collector.all().map(\.notice) == [.modelChanged(Hall.hallObject, environment: Hall.hall)]
        )
        let other = try ModelTree.read(ModelExport([FlareRecord(.environment, Hall.west)]).bytes)
        #expect(await hub.problems(importing: other, replacing: true).count == 1)
    }

    @Test func `objects without a parent are reported by the export`() async throws {
        let hub = try await filled()
        try await hub.insert([
            FlareRecord(.thing, Hall.id(90), ["environment": Hall.text(Hall.hall)]),
            FlareRecord(.device, Hall.id(91)),
            FlareRecord(
                .thing,
                Hall.id(92),
                ["environment": Hall.text(Hall.id(9)), "zone": Hall.text(Hall.west)]
            ),
        ])
        try await hub.remove(Hall.eastObject)
        try await hub.remove(Hall.lampObject)
        let export = await hub.exportModel()
        #expect(
            Set(export.orphans) == [
                ObjectReference(.thing, Hall.sign), ObjectReference(.thing, Hall.id(90)),
                ObjectReference(.device, Hall.id(91)), ObjectReference(.thing, Hall.id(92)),
            ]
        )
        // The phone was near the removed lamp: no dangling reference is exported.
        let tree = try ModelTree.read(export.bytes)
        #expect(tree.records.first { $0.kind == .device }?.nearest == nil)
    }

    @Test func `a large import reports its progress and is all or nothing`() async throws {
        var records = [FlareRecord(.environment, Hall.hall), Hall.zone(Hall.west, x: 0, width: 1)]
        records += (0..<2000).map { Hall.thing(Hall.id(1000 + $0), in: Hall.west, x: Double($0)) }
        let tree = try ModelTree.read(ModelExport(records).bytes)
        let steps = Collector<[Int]>()
        let hub = try FlareHub(FlareStore())
        try await hub.importModel(tree) { steps.append([$0, $1]) }
        #expect(
            await steps.all() == [[500, 2002], [1000, 2002], [1500, 2002], [2000, 2002], [2002, 2002]]
        )

        var options = FlareStore.Options()
        options.maximumBytes = 200_000
        let small = try FlareHub(FlareStore(options: options))
        await #expect(throws: FlareHubError.self) { try await small.importModel(tree) }
        #expect(await contents(small).isEmpty)
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `an import that fills the disk leaves the room that there was before`() async throws {
        let records = (0..<3000).map { (number: UInt32) in
            let text = JSONValue.string(String(repeating: "x", count: 2000))
            return FlareRecord(
                .environment,
                Hall.id(1000 + number),
                ["name": .string("E\(number)"), "description": text]
            )
        }
        let tree = try ModelTree.read(ModelExport(records).bytes)
        try await withTemporaryFolder { folder in
            try await OwnDisk.with("size=3m", at: folder.path("disk")) {
                let hub = try FlareHub(FlareStore(file: folder.path("disk/flare.db")))
                try await hub.insert(Hall.records)
                await #expect(throws: FlareHubError.self) { try await hub.importModel(tree) }
                try Data(count: 2_000_000).write(to: URL(filePath: folder.path("disk/other")))
                try await hub.setData(Hall.lampObject, ["small": 1])
            }
        }
    }
}
