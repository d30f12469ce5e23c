import Controller
import Flare
import JSON
import Messages
import Testing
import Things

struct AnswerTests {
    private func text(of answer: Answer) -> String { String(decoding: answer.bytes, as: UTF8.self) }

    @Test func `an accepted command is answered with what was accepted`() {
        var answer = Answer(ticket: 1, tx: "7", subject: .set, target: .init(kind: "thing", slug: "lamp"))
        answer.accepted = ["color": "red"]
        #expect(
            text(of: answer)
                == #"{"accepted":{"color":"red"},"status":"ok","target":{"kind":"thing","slug":"lamp"},"tx":"7"}"#
        )
    }

    @Test func `a partly accepted one also lists what was rejected`() {
        var answer = Answer(ticket: 1, tx: nil, subject: .set)
        answer.accepted = ["color": "red"]
        answer.rejected = ["warmth": .unknownAttribute]
        #expect(
            text(of: answer)
                == #"{"accepted":{"color":"red"},"rejected":{"warmth":"unknown_attribute"},"status":"ok"}"#
        )
    }

    @Test func `a refused one tells the code, the sentence and the field`() {
        var answer = Answer(ticket: 1, tx: 5, subject: .set)
        answer.refusal = Refusal(.outOfRange, "level must be …", field: "level")
        #expect(
            text(of: answer)
                == #"{"error":{"code":"out_of_range","field":"level","message":"level must be …"},"#
                + #""rejected":{"level":"out_of_range"},"status":"error","tx":5}"#
        )
    }

    @Test func `a token in what was stored earlier is masked`() {
        var answer = Answer(ticket: 1, tx: nil, subject: .get, target: .init(kind: "thing", slug: "lamp"))
        answer.data = ["tlu_abc": ["see tlu_abc, ok"]]
        #expect(text(of: answer).contains(#""data":{"***":["see ***, ok"]}"#))
    }

    @Test func `what was asked for is in data`() {
        var answer = Answer(ticket: 1, tx: nil, subject: .get)
        answer.data = ["state": "ON"]
        #expect(text(of: answer) == #"{"data":{"state":"ON"},"status":"ok"}"#)
    }
}

struct RefusalCodeTests {
    @Test func `every code has a status of HTTP`() {
        let statuses = Dictionary(grouping: RefusalCode.allCases, by: \.httpStatus).mapValues { Set($0) }
        #expect(
            statuses == [
                400: [
                    .badJSON, .tooLarge, .unknownKey, .notSettable, .wrongType, .invalidValue, .outOfRange,
                    .unknownColour,
                ],
                401: [.unauthenticated], 403: [.notAllowed],
                404: [
                    .unknownThing, .unknownEnvironment, .noNearbyThing, .unknownAttribute, .unknownAction,
                    .unknownVerb, .unknownScreen, .unknownDisplay, .unknownLanguage, .unknownCommand,
                    .unknownRule,
                ],
                409: [
                    .retainedCommand, .staleTarget, .notEmpty, .superseded, .levelDenied, .notOnboarded,
                    .alreadyOnboarded, .historyNotAvailable, .notNotifiable, .notSchedulable,
                ],
                429: [.rateLimited],
                500: [.internalError], 502: [.serverRejected],
                503: [.serverUnreachable, .thingOffline], 504: [.timeout],
            ]
        )
    }
}
