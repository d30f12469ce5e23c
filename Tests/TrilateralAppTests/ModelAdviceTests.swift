import FlareServer
import Testing
import TrilateralApp

struct ModelAdviceTests {
    private func warnings(_ zone: String, _ thing: String) throws -> [String] {
        let model = """
            {"environments":[{"name":"Home","data":{"uuid":"2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"},"zones":[
            {"name":"Room","data":{"major":1},\(zone),"things":[{\(thing)}]}]}]}
            """
        return ModelAdvice.warnings(on: try ModelTree.read(Array(model.utf8)))
    }

    private let box = #""perimeter":{"origin":{"x":0,"y":0},"size":{"width":5,"height":4}}"#

    @Test func `a model that is meant as it stands is passed over in silence`() throws {
        #expect(
            try warnings(box, #""name":"Lamp","position":{"x":1,"y":1},"data":{"minor":1,"brightness":0.5}"#)
                .isEmpty
        )
        #expect(ModelAdvice.warnings(on: try ModelTree.read(DemoPlace.model)).isEmpty)
    }

    @Test(arguments: [
        (#""position":{"x":1,"y":1},"data":{"minor":1}"#, "has no name"),
        (#""name":"Lamp","data":{"minor":1}"#, "has no position"),
        (#""name":"Lamp","position":{"x":1,"y":1},"data":{"minor":1,"brightness":60}"#, "brightness of 60"),
        (#""name":"Lamp","position":{"x":1,"y":1},"data":{"minor":99999}"#, "99999"),
    ])
    func `what is hardly meant is told with its place`(thing: String, words: String) throws {
        let found = try warnings(box, thing)
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test func `a room without room is told`() throws {
        let found = try warnings(
            #""perimeter":{"origin":{"x":0,"y":0},"size":{"width":-5,"height":4}}"#,
            #""name":"Lamp","position":{"x":1,"y":1},"data":{"minor":1}"#
        )
        #expect(found.count == 1 && found[0].hasPrefix("environments[0].zones[0]: "), "\(found)")
    }
}
