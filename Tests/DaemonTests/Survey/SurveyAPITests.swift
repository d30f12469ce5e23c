import Accounts
import Controller
import Daemon
import Flare
import Foundation
import HTTPListener
import JSON
import People
import Positioning
import TestSupport
import Testing

/// The survey as the verbs and the page ask for it.
struct SurveyAPITests {
    private struct Callers {
        let writer, reader, otherWriter, blindWriter: Caller
    }

    /// Runs the body with users, of whom one may write the environment, one read it, and one write another environment; and
    /// one who may write it without seeing any device.
    private static func serve(
        _ body: (TestSurvey, SurveyAPI, AccountsRegistry, Callers) async throws -> Void
    ) async throws {
        try await withSurvey { survey in
            let program = Authority.program(at: 1)
            let accounts = survey.store.accounts
            try accounts.prepare(owner: "owner", at: 1)
            func user(
                _ name: String,
                _ access: Access,
                _ environment: FlareID,
                seesDevice: Bool = true
            ) throws -> Caller {
                let id = try accounts.addUser(NewUser(name), by: program)
                var grants = [Grant(id: 0, .user(id), access, .environment(environment))]
                if seesDevice { grants.append(Grant(id: 0, .user(id), .read, .device("wall"))) }
                for grant in grants { _ = try accounts.addGrant(grant, by: program) }
                return .user(id)
            }
            let callers = Callers(
                writer: try user("bob", .write, TestSurvey.environment.id),
                reader: try user("carol", .read, TestSurvey.environment.id),
                otherWriter: try user("dave", .write, FlareID(high: 1, low: 9)),
                blindWriter: try user("eve", .write, TestSurvey.environment.id, seesDevice: false)
            )
            let registry = try AccountsRegistry(
                accounts,
                AccountsRegistry.Settings(),
                clock: { TestSurvey.now },
                changed: { _ in }
            )
            let api = SurveyAPI(survey.service, accounts: registry, epoch: "e1", node: "wall")
            try await body(survey, api, registry, callers)
        }
    }

    private static func request(_ method: String, _ path: String, _ body: String = "{}") -> LocalRequest {
        LocalRequest(
            method,
            ["api", "survey"] + path.split(separator: "/").map(String.init),
            body: method == "POST" ? Array(body.utf8) : []
        )
    }

    private static func json(_ response: LocalResponse?) throws -> JSONValue {
        try JSONValue(parsing: try #require(response).body)
    }

    private static let door = #"{"name":"door","x":1,"y":1,"z":1}"#

    @Test func `whoever may write the environment and see the daemon's device may survey it`() async throws {
        try await Self.serve { _, api, accounts, callers in
            let made = await api.answer(
                Self.request("POST", "points", Self.door),
                by: callers.writer,
                from: nil
            )
            #expect(made.status == 201)
            for caller in [callers.reader, callers.otherWriter, callers.blindWriter] {
                for request in [
                    Self.request("GET", ""), Self.request("POST", "points", Self.door),
                    Self.request("DELETE", "points"), Self.request("GET", "export"),
                ] {
                    let refused = await api.answer(request, by: caller, from: nil)
                    #expect(refused.status == 403, "\(request)")
                }
            }
            let list = try Self.json(await api.answer(Self.request("GET", ""), by: callers.writer, from: nil))
            #expect(list["points"]?.array?.count == 1)
        }
    }

    @Test func `the right counts for the environment whose survey it is, also while another is entered`()
        async throws
    {
        try await Self.serve { survey, api, _, callers in
            try await survey.takeFive()
            let other = FlareEnvironment(id: FlareID(high: 1, low: 9))
            survey.enterUnnoticed(TestSurvey.map(environment: other), in: other)
            let request = Self.request("GET", "export")
            #expect(await api.answer(request, by: callers.otherWriter, from: nil).status == 403)
            #expect(await api.answer(request, by: callers.writer, from: nil).status == 200)
            await survey.service.refresh()
            #expect(await api.answer(request, by: callers.writer, from: nil).status == 403)
            // It may ask, and there is nothing.
            #expect(await api.answer(request, by: callers.otherWriter, from: nil).status == 404)
        }
    }

    @Test func `a verb needs no rights, and asks for nothing else`() async throws {
        try await Self.serve { _, api, _, _ in
            #expect(await api.answer(LocalRequest("GET", ["api", "rules"])) == nil)
            let made = try Self.json(await api.answer(Self.request("POST", "points", Self.door)))
            #expect(made["stored"] == true && made["name"] == "door")
            let shown = try Self.json(await api.answer(Self.request("GET", "points/door")))
            #expect(shown["levels"]?.array?.count == 6 && shown["x"] == 1)
            let file = try Self.json(await api.answer(Self.request("GET", "export")))
            #expect(file["csv"]?.string?.hasPrefix("point,x,y,beacon_id,level_db,packets,z,") == true)
            // An empty name must not mean all receivers.
            let empty = LocalRequest("DELETE", ["api", "survey", "points"], query: ["receiver": ""])
            #expect(await api.answer(empty)?.status == 400)
            let gone = try Self.json(await api.answer(Self.request("DELETE", "points/door")))
            #expect(gone == ["forgotten": 1])
            #expect(await api.answer(Self.request("GET", "points/door"))?.status == 404)
            #expect(await api.answer(Self.request("PUT", "points"))?.status == 404)
        }
    }

    @Test(arguments: [
        ("{", "bad_json"), ("[]", "wrong_type"), (#"{"x":1,"y":1}"#, "wrong_type"),
        (#"{"name":7,"x":1,"y":1}"#, "wrong_type"), (#"{"name":"a","x":"1","y":1}"#, "wrong_type"),
        (#"{"name":"a","x":1}"#, "wrong_type"), (#"{"name":"a","x":1,"y":1,"w":1}"#, "unknown_key"),
        (#"{"name":"a","x":1e9,"y":1}"#, "out_of_range"),
        (#"{"name":"a","x":1,"y":1,"z":1e30}"#, "out_of_range"),
        (#"{"name":"a","x":1,"y":1,"seconds":5}"#, "out_of_range"),
        (#"{"name":"a","x":1,"y":1,"seconds":12.5}"#, "invalid_value"),
        (#"{"name":"a","x":1,"y":1,"seconds":1e300}"#, "invalid_value"),
        (#"{"name":"a","x":1,"y":1,"floor":3}"#, "out_of_range"),
        (#"{"name":"a","x":1,"y":1,"accept":1}"#, "wrong_type"),
    ])
    func `a wrong point is refused with what is legal`(body: String, code: String) async throws {
        try await Self.serve { _, api, _, _ in
            let response = await api.answer(Self.request("POST", "points", body))
            #expect(response?.status == 400)
            let answer = try Self.json(response)
            #expect(answer["error"]?.string == code, "\(answer)")
        }
    }

    @Test(arguments: [
        (#"{}"#, "wrong_type", "csv must be the text of a file"),
        (#"{"csv":"FILE","receiver":5}"#, "wrong_type", "receiver must be a text"),
        (#"{"csv":"FILE","reciever":"hall"}"#, "unknown_key", "there are csv, receiver, floor"),
        (#"{"csv":"FILE","floor":"1"}"#, "wrong_type", "floor must be a number"),
        (#"{"csv":""}"#, "invalid_value", "the file is empty"),
    ])
    func `a wrong import is refused with what is legal`(body: String, code: String, why: String) async throws
    {
        try await Self.serve { survey, api, _, _ in
            let file = RecordedSurvey.header + #"\ndoor,6,4,beacon 1,-20,60"#
            let body = body.replacingOccurrences(of: "FILE", with: file)
            let response = await api.answer(Self.request("POST", "import", body))
            #expect(response?.status == 400)
            let answer = try Self.json(response)
            #expect(answer["error"]?.string == code, "\(answer)")
            #expect(answer["message"]?.string?.contains(why) == true, "\(answer)")
            #expect(try survey.store.surveyPoints(of: TestSurvey.map()).isEmpty)
        }
    }

    @Test(arguments: ["", "-1", "1.5", "up"])
    func `a file is about a floor that has a number`(floor: String) async throws {
        try await Self.serve { survey, api, _, _ in
            try await survey.takeFive()
            let response = await api.answer(
                LocalRequest("GET", ["api", "survey", "export"], query: ["floor": floor])
            )
            #expect(response?.status == 400)
            #expect(try Self.json(response)["field"] == "floor")
        }
    }

    @Test func `what is changed is in the log`() async throws {
        try await Self.serve { survey, api, accounts, callers in
            _ = await api.answer(
                Self.request("POST", "points", Self.door),
                by: callers.writer,
                from: "192.0.2.7"
            )
            _ = await api.answer(Self.request("DELETE", "points"), by: callers.reader, from: nil)
            _ = await api.answer(Self.request("GET", ""), by: callers.writer, from: nil)
            try accounts.flush()
            let rows = try survey.store.accounts.log()
            #expect(rows.map(\.kind).sorted() == ["survey forget", "survey point"])
            let point = try #require(rows.first { $0.kind == "survey point" })
            #expect(point.caller == "user:bob" && point.slug == "door" && point.state == "accepted")
            #expect(point.source == "192.0.2.7")
            #expect(rows.first { $0.kind == "survey forget" }?.code == "not_allowed")
        }
    }
}
