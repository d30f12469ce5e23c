import Daemon
import FlareServer
import JSON
import Testing
import TrilateralApp

struct ModelAdviceTests {
    private func warnings(in model: String) throws -> [String] {
        ModelAdvice(on: try JSONValue(parsing: model)).warnings.map(\.description)
    }

    private static let uuid = #""uuid":"2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6""#
    private static let box = #""perimeter":{"origin":{"x":0,"y":0},"size":{"width":5,"height":4}}"#
    private static let lamp = #""name":"Lamp","position":{"x":1,"y":1}"#

    /// Of a model of an environment with a zone with a thing.
    private func warnings(
        environment: String = #""data":{\#(uuid)}"#,
        zone: String = #"\#(box),"data":{"major":1}"#,
        thing: String = lamp,
        others: String = ""
    ) throws -> [String] {
        try warnings(
            in: """
                {"environments":[{"name":"Home",\(environment),"zones":[
                {"name":"Room",\(zone),"things":[{\(thing)}\(others)]}]}]}
                """
        )
    }

    private func expect(
        _ found: [String],
        _ place: String,
        _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            found.count == 1 && found[0].hasPrefix("\(place): ") && found[0].contains(words),
            "\(found)",
            sourceLocation: sourceLocation
        )
    }

    private static let room = "environments[0].zones[0]"
    private static let thing = "environments[0].zones[0].things[0]"

    @Test func `a value that a thing only reports may be any`() throws {
        let data = #""data":{"on":true,"power":12,"readonly":["power"]}"#
        #expect(try warnings(thing: "\(Self.lamp),\(data)") == [])
    }

    @Test func `a value of a thing with a profile may be what the profile says`() throws {
        let data = #""data":{"profile":"socket","on":1,"power":3.5,"brigthness":40,"color":"no colour"}"#
        #expect(try warnings(thing: "\(Self.lamp),\(data)") == [])
        let beacon = #""data":{"oemModel":"plug","minor":99999}"#
        #expect(try warnings(thing: "\(Self.lamp),\(beacon)").count == 1)
    }

    @Test func `a profile of the configuration is known, and without one that is what is missing`() throws {
        let model = """
            {"environments":[{"name":"Home","data":{\(Self.uuid)},"zones":[{"name":"Room",\(Self.box),
            "data":{"major":1},"things":[{\(Self.lamp),"data":{"profile":"fan-1"}}]}]}]}
            """
        let json = try JSONValue(parsing: model)
        #expect(ModelAdvice(on: json, profiles: ["fan", "fan-1"]).warnings.isEmpty)
        expect(
            ModelAdvice(on: json).warnings.map(\.description),
            "\(Self.thing).data.profile",
            "did you mean \"fan\"? If it is one of yours, name the configuration with --config"
        )
    }

    @Test func `a profile that is nearly a built-in one is named`() throws {
        #expect(try warnings(thing: "\(Self.lamp),\"data\":{\"profile\":\"coffee-machine\"}") == [])
        expect(
            try warnings(thing: "\(Self.lamp),\"data\":{\"profile\":\"blnd\",\"position\":4}"),
            "\(Self.thing).data.profile",
            "did you mean \"blind\"?"
        )
    }

    @Test func `a model that is meant as it stands gets no warning`() throws {
        let data = #""data":{"minor":1,"brightness":0.5,"color":"red","on":true,"volume":3,"door":false}"#
        #expect(try warnings(thing: #"\#(Self.lamp),"actions":["on"],\#(data)"#) == [])
        #expect(ModelAdvice(on: try JSONValue(parsing: DemoPlace.model)).count == 0)
    }

    @Test(
        arguments: [
            (#""position":{"x":1,"y":1}"#, "", "has no name"),
            (#""name":"Lamp""#, "", "has no position"),
            (#""name":"  ","position":{"x":1,"y":1}"#, ".name", "has only spaces"),
            (
                #""name":"Lamp","position":{"x":1e9,"y":1}"#, ".position",
                "more than 100000 km from the origin"
            ),
            (#""name":"Lamp","position":{"x":1}"#, ".position", "needs x and y"),
            (#"\#(lamp),"data":{"brightness":60}"#, ".data.brightness", "must be 0 to 1 (is 60)"),
            (#"\#(lamp),"data":{"minor":99999}"#, ".data.minor", "whole number from 0 to 65535 (is 99999)"),
            (#"\#(lamp),"data":{"minor":"1"}"#, ".data.minor", "without quotes"),
            (
                #"\#(lamp),"data":{"minor":"x"}"#, ".data.minor",
                "(is \"x\"); it is kept, but no beacon has it"
            ),
            (#"\#(lamp),"data":{"on":"yes"}"#, ".data.on", "must be true or false (is \"yes\")"),
            (#"\#(lamp),"data":{"color":"rde"}"#, ".data.color", "no known colour (is \"rde\")"),
            (#"\#(lamp),"data":{"color":7}"#, ".data.color", "must be a text (is 7)"),
            (#"\#(lamp),"data":{"options":"red"}"#, ".data.options", "must be a list of texts"),
            (#"\#(lamp),"data":{"colorTemperature":200}"#, ".data.colorTemperature", "1000 to 12000"),
            (#"\#(lamp),"data":{"kind":"lamp"}"#, ".data.kind", "must be \"switch\""),
            (#"\#(lamp),"data":{"power":59}"#, ".data.power", "-127 to -1"),
            (#"\#(lamp),"data":{"colour":"red"}"#, ".data.colour", "did you mean \"color\"?"),
            (#"\#(lamp),"data":{"brigthness":1}"#, ".data.brigthness", "did you mean \"brightness\"?"),
            (#"\#(lamp),"data":{"actions":["on"]}"#, ".data.actions", "beside \"data\""),
            (#"\#(lamp),"data":{"temp":6,"readonly":["tmp"]}"#, ".data.readonly", "did you mean \"temp\"?"),
            (#"\#(lamp),"data":3"#, ".data", "must be an object (is 3)"),
            (#"\#(lamp),"color":"red""#, ".color", "belongs in \"data\""),
            (#"\#(lamp),"postion":{"x":1,"y":1}"#, ".postion", "did you mean \"position\"?"),
            (#""name":"Lamp","position":{"x":"1","y":1}"#, ".position.x", "without quotes"),
            (#""name":"Lamp","position":{"x":1,"y":1,"Z":1}"#, ".position.Z", "did you mean \"z\"?"),
        ]
    )
    func `what is hardly meant in a thing is told with its place`(json: String, place: String, words: String)
        throws
    {
        expect(try warnings(thing: json), Self.thing + place, words)
    }

    @Test(
        arguments: [
            (#""data":{"uuid":"beacon"}"#, ".data.uuid", "32 hexadecimal digits"),
            (#""data":{\#(uuid),"distance":-2}"#, ".data.distance", "is -2 m"),
            (#""data":{\#(uuid),"distance":"2"}"#, ".data.distance", "without quotes"),
            (#""data":{\#(uuid),"distance":150}"#, ".data.distance", "centimetres"),
            (#""data":{\#(uuid),"positioning":{"spread":3}}"#, ".data.positioning.spread", "is no constant"),
            (#""geofence":{"latitude":95,"longitude":0,"radius":5}"#, ".geofence", "not on the earth"),
            (#""geofence":{"latitude":5,"longitude":0,"radius":-5}"#, ".geofence.radius", "above 0"),
            (#""angel":90"#, ".angel", "did you mean \"angle\"?"),
            (#""perimeter":{"origin":{"x":0,"y":0}}"#, ".perimeter", "needs origin (x, y) and size"),
        ]
    )
    func `what is hardly meant in an environment is told with its place`(
        json: String,
        place: String,
        words: String
    ) throws {
        expect(try warnings(environment: json), "environments[0]\(place)", words)
    }

    // MARK: Geometry

    @Test(
        arguments: [
            (#""position":{"x":6,"y":1}"#, "outside its zone (x 0 to 5, y 0 to 4, z 0 to 3)"),
            (#""position":{"x":1,"y":-0.5}"#, "outside its zone"),
            (#""position":{"x":1,"y":1,"z":3.5}"#, "outside its zone"),
        ]
    )
    func `a thing outside its zone is told`(position: String, words: String) throws {
        expect(try warnings(thing: #""name":"Lamp",\#(position)"#), "\(Self.thing).position", words)
    }

    @Test func `a thing in another zone is told where it is`() throws {
        let found = try warnings(
            in: """
                {"environments":[{"name":"Home","zones":[{"name":"Room",\(Self.box),"things":[
                {"name":"Lamp","position":{"x":6,"y":1}}]},
                {"name":"Hall","perimeter":{"origin":{"x":5,"y":0},"size":{"width":2,"height":4}}}]}]}
                """
        )
        expect(found, "\(Self.thing).position", "it is in \"Hall\"")
    }

    @Test func `a thing outside its environment is told where its zone says nothing`() throws {
        let found = try warnings(
            environment: Self.box,
            zone: #""perimeter":null"#,
            thing: #""name":"Lamp","position":{"x":6,"y":1}"#
        )
        #expect(found.count == 2, "\(found)")
        #expect(found.contains { $0.hasPrefix("\(Self.thing).position: is outside its environment") })
    }

    @Test func `a zone outside its environment is told`() throws {
        let zone = #""perimeter":{"origin":{"x":2,"y":0},"size":{"width":5,"height":4}}"#
        let thing = #""name":"Lamp","position":{"x":3,"y":1}"#
        let found = try warnings(environment: Self.box, zone: zone, thing: thing)
        expect(found, "\(Self.room).perimeter", "not within its environment's perimeter")
    }

    @Test func `a zone without room is told`() throws {
        let zone = #""perimeter":{"origin":{"x":0,"y":0},"size":{"width":-5,"height":4}}"#
        expect(try warnings(zone: zone), "\(Self.room).perimeter.size", "has no room")
    }

    @Test func `centimetres are told once for an environment`() throws {
        let zone = #""perimeter":{"origin":{"x":0,"y":0},"size":{"width":500,"height":400,"depth":250}}"#
        let thing = #""name":"Lamp","position":{"x":100,"y":100,"z":90}"#
        let found = try warnings(zone: zone, thing: thing, others: ",{\(thing)}")
        expect(found, "\(Self.room).perimeter", "looks like centimetres")
    }

    // MARK: Beacons

    @Test func `a missing uuid is told where there are beacons`() throws {
        let environment = #""data":{"distance":2}"#
        #expect(try warnings(environment: environment) == [])
        let thing = #"\#(Self.lamp),"data":{"minor":1}"#
        expect(
            try warnings(environment: environment, thing: thing),
            "environments[0].data.uuid",
            "is missing"
        )
    }

    @Test func `a minor whose zone has no major is told`() throws {
        let thing = #"\#(Self.lamp),"data":{"minor":1}"#
        expect(try warnings(zone: Self.box, thing: thing), "\(Self.thing).data.minor", "no data.major")
    }

    @Test func `doubled minors, majors and receivers are told, with the other one`() throws {
        func twice(_ data: String) throws -> [String] {
            let thing = #"\#(Self.lamp),"data":{\#(data)}"#
            return try warnings(thing: thing, others: ",{\(thing)}")
        }
        expect(try twice(#""minor":1"#), "\(Self.room).things[1].data.minor", "as that of \(Self.thing)")
        expect(try twice(#""receiver":"hall""#), "\(Self.room).things[1].data.receiver", Self.thing)
        let zone = #"{"name":"Room",\#(Self.box),"data":{"major":1}}"#
        let found = try warnings(in: #"{"environments":[{"name":"Home","zones":[\#(zone),\#(zone)]}]}"#)
        expect(found, "environments[0].zones[1].data.major", "as that of environments[0].zones[0]")
    }

    @Test func `an unknown time zone is warned of, and a known one is not`() throws {
        func found(_ zone: String) throws -> [String] {
            try warnings(environment: #""data":{\#(Self.uuid),"time_zone":\#(zone)}"#)
        }
        expect(try found(#""../zone""#), "environments[0].data.time_zone", "must be a time zone")
        expect(try found("1"), "environments[0].data.time_zone", "must be a text")
        #expect(try found(#""UTC""#) == [])
    }

    // MARK: The file

    @Test(arguments: [#"{"environment":[],"environments":[]}"#, #"{"enviroments":[]}"#])
    func `a misspelt list is told`(model: String) throws {
        let found = try warnings(in: model)
        #expect(found.count == 1 && found[0].contains("did you mean \"environments\"?"), "\(found)")
    }

    @Test func `of very many warnings a thousand are kept, and all are counted`() throws {
        let things = Array(repeating: #"{"name":"a"}"#, count: 3000).joined(separator: ",")
        let model =
            #"{"environments":[{"name":"Home","zones":[{"name":"Room",\#(Self.box),"things":[\#(things)]}]}]}"#
        let advice = ModelAdvice(on: try JSONValue(parsing: model))
        #expect(advice.count == 3000 && advice.warnings.count == 1000)
    }
}
