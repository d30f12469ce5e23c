package import JSON
package import Things

/// An error as programs for Thing-IF expect it: a status of HTTP, a code and a sentence.
///
/// - Source: contrib/contract/bindings.md, "Refusals".
package struct ThingIFError: Error, Sendable, Hashable {
    /// What a request was about; it decides between several codes for one refusal.
    package enum Subject: Sendable, Hashable {
        case app, thing, target, installation
        /// A new command.
        case command
        /// A command that is asked for.
        case commandID
    }

    package let status: Int
    package let errorCode: String
    package let message: String
    /// The members at fault.
    package let invalidFields: [String]

    package init(_ error: BindingsError, about subject: Subject) {
        self.init(error.refusal, about: subject)
    }

    package init(_ refusal: Refusal, about subject: Subject) {
        let (status, code) = Self.statusAndCode(of: refusal.code, about: subject)
        self.init(status, code, refusal.message, status == 400 ? refusal.field.map { [$0] } ?? [] : [])
    }

    private init(_ status: Int, _ errorCode: String, _ message: String, _ invalidFields: [String] = []) {
        (self.status, self.errorCode, self.message) = (status, errorCode, message)
        self.invalidFields = invalidFields
    }

    private static func statusAndCode(of code: RefusalCode, about subject: Subject) -> (Int, String) {
        switch code {
        case .badJSON, .tooLarge, .unknownKey, .notSettable, .wrongType, .invalidValue, .outOfRange,
            .unknownColour,
            .unknownAttribute, .unknownAction, .unknownVerb, .unknownScreen, .unknownDisplay,
            .unknownLanguage,
            .noNearbyThing, .retainedCommand:
            (400, subject == .command ? "WRONG_COMMAND" : "INVALID_INPUT_DATA")
        case .unauthenticated: (401, "UNAUTHORIZED")
        case .notAllowed: (403, "FORBIDDEN")
        case .unknownThing, .unknownEnvironment, .unknownCommand: (404, notFound(subject))
        case .unknownRule: (404, "TRIGGER_NOT_FOUND")
        case .staleTarget, .notEmpty, .superseded, .levelDenied: (409, "CONFLICT")
        case .notOnboarded: (409, "NOT_ONBOARDED")
        case .alreadyOnboarded: (409, "ALREADY_ONBOARDED")
        case .historyNotAvailable: (409, "STATE_HISTORY_NOT_AVAILABLE")
        case .notNotifiable: (409, "NOT_NOTIFIABLE")
        case .notSchedulable: (409, "NOT_SCHEDULABLE")
        case .rateLimited: (429, "TOO_MANY_REQUESTS")
        case .internalError: (500, "INTERNAL_ERROR")
        case .serverRejected: (502, "SERVER_REJECTED")
        case .serverUnreachable: (503, "SERVICE_UNAVAILABLE")
        case .thingOffline: (503, "THING_OFFLINE")
        case .timeout: (504, "TIMEOUT")
        }
    }

    private static func notFound(_ subject: Subject) -> String {
        switch subject {
        case .app: "APP_NOT_FOUND"
        case .thing: "THING_NOT_FOUND"
        case .target, .command: "TARGET_NOT_FOUND"
        case .installation: "INSTALLATION_NOT_FOUND"
        case .commandID: "COMMAND_NOT_FOUND"
        }
    }

    /// The body of the answer.
    package var json: JSONObject {
        var json: JSONObject = ["errorCode": .string(errorCode), "message": .string(message)]
        if !invalidFields.isEmpty {
            json["invalidFields"] = .object(JSONObject(invalidFields.map { ($0, .string(message)) }))
        }
        return json
    }
}
