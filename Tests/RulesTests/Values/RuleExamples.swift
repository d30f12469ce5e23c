import JSON
import Rules
import Testing
import Things

/// Rules as texts.
enum RuleExamples {
    static let tooWarm = #"""
        {"title":"Too warm","enabled":true,"if":[{"during":{"startTimeEachDay":"08:00:00","endTimeEachDay":"20:00:00"}}],
         "when":[{"on":"state","thing":"radiator","clause":{"type":"range","field":"room_temp","lowerLimit":30,"lowerIncluded":true}}],
         "then":[{"action":"fan_high","target":"thing:fan"},{"notify":["user:alice"],"text":"{thing} is at {value}"}]}
        """#
    static let kii = #"""
        {"predicate":{"eventSource":"STATES","triggersWhen":"CONDITION_CHANGED",
          "condition":{"type":"and","clauses":[{"type":"eq","field":"power","value":true},
            {"type":"not","clause":{"type":"eq","field":"color","value":0}}]}},
         "command":{"actions":[{"turnPower":{"power":true}},{"setBrightness":90}],"target":"thing:fan",
          "issuer":"user:alice","schema":"lamp","schemaVersion":2,"metadata":{"a":1}},
         "triggersWhat":"COMMAND","title":"Kii","description":"Of an app"}
        """#
    static let ayla = #"""
        {"schedule":{"name":"evening","display_name":"Evening","direction":"input","active":true,"utc":false,
          "start_date":"","end_date":null,"start_time_each_day":"18:00:00","end_time_each_day":"23:00:00",
          "days_of_week":[2,3,4],"days_of_month":[],"device_nickname":"lamp","schedule_actions":[
           {"schedule_action":{"type":"SchedulePropertyAction","name":"Blue_LED","base_type":"boolean","value":"1",
            "active":true,"at_start":true,"at_end":false,"in_range":false}},
           {"name":"level","baseType":"integer","value":"40","inRange":true},
           {"name":"Blue_LED","base_type":"boolean","value":0,"at_end":true},
           {"name":"off","value":"1","active":false}]}}
        """#
    static let automation = #"""
        {"name":"Home","triggerUUID":"2B5C1E0A","triggerType":"TriggerTypeGeofenceEnter","enabled":false,
         "actions":[{"device":"lamp","property":"on","value":true},{"device":"lamp","property":"level","value":"3"}],
         "locations":[{"uuid":"00","latitude":0,"longitude":0,"radius":50},
          {"uuid":"2b5c1e0a","name":"Home","lat":52.5,"lng":13.4,"radius":150}]}
        """#
    static let property = #"""
        {"trigger":{"trigger_type":"compare_absolute","compare_type":">=","value":"30","base_type":"decimal",
          "property_nickname":"room_temp","device_nickname":"radiator","active":true,"trigger_apps":[
           {"trigger_app":{"name":"email","username":"Dave","param1":"dave@example.org","param3":"It is warm"}},
           {"name":"sms","contact_id":7,"param1":"1","param2":"4085551111","param3":"{thing}: {value}"},
           {"name":"sms","param1":"01","param2":"4085551111"},
           {"name":"push_ios","contactId":"8","message":"warm"}]}}
        """#
    static let device = #"""
        {"notificationType":"on_connection_lost","threshold":600,"deviceNickname":"meter","notificationApps":[
          {"appType":"push_android","notification_app_parameters":{"contact_id":"8","message":"gone"}},
          {"notification_app":{"app_type":"email","notification_app_parameters":{"email":"a@example.org",
            "email_subject":"Lost","message":"gone"}}}]}
        """#

    static let all = [tooWarm, kii, ayla, automation, property, device]

    static func read(_ text: String, thing: String? = nil) throws -> ReadRule {
        try RuleReader(thing: thing).read(JSONValue(parsing: text))
    }

    /// A rule whose first trigger is this.
    static func when(_ trigger: String) -> String { #"{"when":[\#(trigger)],"then":[{"publish":1}]}"# }
    static func `if`(_ condition: String) -> String {
        #"{"when":[{"on":"near","thing":"a"}],"if":[\#(condition)],"then":[{"publish":1}]}"#
    }
    static func then(_ action: String) -> String {
        #"{"when":[{"on":"near","thing":"a"}],"then":[\#(action)]}"#
    }
    /// The same of a schedule.
    static func scheduled(_ action: String, end: String? = "20:00:00") -> String {
        let end = end.map { #","endTimeEachDay":"\#($0)""# } ?? ""
        return #"{"when":[{"on":"schedule","startTimeEachDay":"08:00:00"\#(end)}],"then":[\#(action)]}"#
    }
}
