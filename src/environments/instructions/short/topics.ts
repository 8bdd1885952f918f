// Topics of the generated prompts: 60 for training, 20 that are held out of training, and 12 that only pairs use. An answer is on a topic
// if it has its name or one of its words that was not asked for.

export type Language = 'zh' | 'en';
export type Part = 'training' | 'held' | 'pairs';

export interface Topic {
  /** The English name, which stands for the topic in both languages. */
  id: string;
  part: Part;
  name: Readonly<Record<Language, string>>;
  /** Keywords are the first two. */
  words: Readonly<Record<Language, readonly string[]>>;
}

/** Chinese name | Chinese words | English name | English words */
const LINES: Readonly<Record<Part, string>> = {
  training: `大海|海水,浪,蓝,鱼,船,海洋,盐|the sea|water,waves,blue,fish,ships,ocean,salt
月亮|夜晚,光,圆,月,星,天空|the moon|night,light,round,lunar,stars,sky
苹果|水果,红,甜,吃,营养,树|apples|fruit,red,sweet,eat,juice,tree
猫|宠物,毛,爪,老鼠,可爱,喵|cats|pet,fur,claws,mouse,cute,purr
狗|忠诚,宠物,朋友,尾巴,犬,动物|dogs|loyal,pet,friend,tail,bark,animal
火车|铁路,车站,旅客,轨道,快,交通|trains|railway,station,passengers,tracks,fast,travel
咖啡|豆,苦,香,提神,饮,杯|coffee|beans,bitter,aroma,caffeine,drink,cup
茶|叶,香,饮,绿,泡,杯|tea|leaves,aroma,drink,green,brew,cup
雪|白,冷,冬,冰,花,融|snow|white,cold,winter,ice,flakes,melt
春天|花,暖,绿,季节,风,生机|spring|flowers,warm,green,season,bloom,growth
秋天|叶,凉,收获,季节,金,风|autumn|leaves,cool,harvest,season,golden,fall
医院|医生,病,治,护士,健康,患者|hospitals|doctors,patients,treat,nurses,health,care
学校|学生,老师,教育,学习,课,知识|schools|students,teachers,education,learn,classes,knowledge
图书馆|书,阅读,安静,知识,借,学习|libraries|books,reading,quiet,knowledge,borrow,study
足球|球,比赛,球队,踢,运动,进|football|ball,game,team,kick,sport,goal
音乐|歌,旋律,听,乐器,声,节奏|music|songs,melody,listen,instruments,sound,rhythm
电影|观众,导演,故事,影,演员,银幕|films|audience,director,story,cinema,actors,screen
手机|通讯,电话,屏幕,联系,应用,智能|phones|calls,screen,messages,contact,apps,smart
电脑|计算,程序,数据,键盘,信息,工作|computers|data,programs,software,keyboard,information,work
互联网|网络,信息,连接,数据,沟通,网|the internet|network,information,connect,data,online,web
太阳|光,热,能量,地球,阳,恒星|the sun|light,heat,energy,earth,solar,star
地球|行星,生命,水,太阳,人类,家园|the earth|planet,life,water,sun,humans,home
河流|水,流,鱼,山,河,岸|rivers|water,flow,fish,valley,banks,stream
森林|树,动物,绿,木,林,氧气|forests|trees,animals,green,wood,leaves,oxygen
沙漠|沙,干,热,骆驼,水,荒|deserts|sand,dry,hot,camels,water,dunes
大象|鼻子,动物,象,大,耳,非洲|elephants|trunk,animal,large,ears,africa,heavy
老虎|动物,森林,猛,虎,猫科,条纹|tigers|animal,forest,stripes,wild,hunt,cat
熊猫|竹,黑白,中国,动物,可爱,熊|pandas|bamboo,black,china,animal,white,bear
蝴蝶|翅膀,花,飞,美丽,昆虫,色|butterflies|wings,flowers,fly,beautiful,insect,color
蜜蜂|蜂蜜,花,昆虫,蜂,飞,采|bees|honey,flowers,insect,hive,fly,pollen
玫瑰|爱,红,花,香,刺,美|roses|love,red,flower,scent,thorns,beauty
面包|面粉,烤,吃,早餐,小麦,食|bread|flour,bake,eat,breakfast,wheat,loaf
米饭|稻,吃,食,碗,煮,主食|rice|grain,eat,food,bowl,cook,meal
牛奶|钙,喝,营养,白,奶,牛|milk|calcium,drink,nutrition,white,dairy,cow
巧克力|甜,糖,吃,可可,苦,味|chocolate|sweet,sugar,eat,cocoa,dark,taste
飞机|天空,飞行,机场,乘客,快,航空|aeroplanes|sky,fly,airport,passengers,fast,wings
自行车|轮,骑,环保,运动,出行,车|bicycles|wheels,ride,pedal,exercise,travel,bike
汽车|路,驾驶,轮,发动机,交通,车|cars|road,drive,wheels,engine,traffic,vehicle
桥|河,连接,建筑,交通,行人,跨|bridges|river,connect,structure,traffic,cross,span
城市|建筑,街,繁华,生活,交通,商业|cities|buildings,streets,people,life,traffic,urban
乡村|田,安静,农,自然,空气,生活|villages|fields,quiet,farm,nature,air,rural
长城|中国,历史,城墙,建筑,古,万里|the great wall|china,history,wall,ancient,stone,long
北京|中国,首都,故宫,城市,历史,文化|beijing|china,capital,palace,city,history,culture
上海|城市,中国,经济,外滩,现代,繁华|shanghai|city,china,economy,modern,port,river
巴黎|法国,铁塔,浪漫,城市,艺术,时尚|paris|france,tower,romantic,city,art,fashion
春节|新年,家人,团圆,红包,传统,饺子|the spring festival|new year,family,reunion,dumplings,tradition,china
生日|蛋糕,礼物,祝,快乐,朋友,年|birthdays|cake,gifts,celebrate,happy,friends,year
友谊|朋友,信任,帮助,真诚,支持,友|friendship|friends,trust,help,honest,support,bond
时间|钟,珍惜,流逝,分,生命,小时|time|clock,hours,minutes,life,past,moment
梦想|努力,追求,未来,目标,实现,希望|dreams|effort,goal,future,hope,achieve,believe
健康|身体,运动,饮食,睡眠,生活,锻炼|health|body,exercise,diet,sleep,life,fitness
睡眠|休息,身体,夜,床,梦,健康|sleep|rest,body,night,bed,dream,health
书|阅读,知识,页,文字,作者,学习|books|reading,knowledge,pages,words,author,learn
钢琴|琴键,音乐,弹,乐器,黑白,声|pianos|keys,music,play,instrument,sound,notes
老师|学生,教,知识,学校,课,教育|teachers|students,teach,knowledge,school,class,education
医生|病人,治疗,医院,健康,医,救|doctors|patients,treat,hospital,health,medicine,cure
农民|土地,粮食,种,田,劳动,农|farmers|land,crops,plant,fields,work,farm
雨|水,云,湿,伞,滴,天|rain|water,clouds,wet,umbrella,drops,weather
风|空气,吹,凉,树叶,力,天气|wind|air,blow,cool,leaves,force,weather
人工智能|机器,学习,技术,数据,计算,未来|artificial intelligence|machines,learning,technology,data,computer,future`,
  held: `山|高,石,树,登,峰,岩|mountains|high,rocks,trees,climb,peak,snow
湖|水,鱼,平静,岸,蓝,船|lakes|water,fish,calm,shore,blue,boats
鸟|翅膀,飞,羽毛,歌,树,巢|birds|wings,fly,feathers,song,trees,nest
香蕉|水果,黄,甜,吃,皮,营养|bananas|fruit,yellow,sweet,eat,peel,potassium
夏天|热,太阳,游泳,季节,阳光,冰|summer|hot,sun,swim,season,heat,ice
冬天|冷,雪,季节,冰,寒,衣|winter|cold,snow,season,ice,freeze,coat
星星|夜,光,天空,闪,宇宙,亮|stars|night,light,sky,shine,universe,bright
篮球|球,运动,队,投,比赛,篮|basketball|ball,sport,team,shoot,game,hoop
厨师|菜,做饭,厨房,食,味,餐厅|cooks|dishes,food,kitchen,meal,taste,restaurant
警察|安全,法律,保护,社会,犯罪,警|police|safety,law,protect,crime,officers,public
博物馆|历史,文物,展览,文化,艺术,参观|museums|history,exhibits,art,culture,visit,collection
公园|树,散步,花,休息,绿,游|parks|trees,walk,flowers,rest,green,play
地铁|城市,交通,站,快,乘客,轨道|the underground|city,trains,station,fast,passengers,metro
船|水,海,航行,港,运输,河|ships|water,sea,sail,harbour,cargo,river
马|跑,骑,草,动物,快,力|horses|run,ride,grass,animal,fast,strong
鸡蛋|蛋白,吃,营养,早餐,鸡,壳|eggs|protein,eat,yolk,breakfast,hen,shell
糖|甜,吃,味,能量,食,牙|sugar|sweet,eat,taste,energy,food,teeth
雨伞|雨,遮,湿,打,天,伞|umbrellas|rain,cover,wet,hold,weather,dry
画|颜色,艺术,笔,美,作品,画家|paintings|colors,art,brush,beauty,canvas,painter
诚实|信任,真,谎,品德,说,人|honesty|trust,truth,lie,virtue,say,people`,
  pairs: `云|天空,白,雨,飘,水,气|clouds|sky,white,rain,float,water,air
羊|草,毛,动物,白,温顺,牧|sheep|grass,wool,animal,white,farm,flock
橙子|水果,甜,维生素,吃,皮,黄|oranges|fruit,sweet,vitamins,eat,peel,juice
眼镜|看,镜片,视力,近视,戴,眼|glasses|see,lenses,sight,wear,eyes,frame
邮局|信,寄,包裹,邮票,邮件,人|post offices|letters,send,parcels,stamps,mail,people
岛|海,沙滩,水,陆地,船,风景|islands|sea,beach,water,land,boats,sand
吉他|弦,音乐,弹,乐器,歌,声|guitars|strings,music,play,instrument,songs,sound
蔬菜|绿,营养,健康,吃,维生素,菜|vegetables|green,nutrition,health,eat,vitamins,fresh
消防员|火,救,勇敢,安全,水,消防|firefighters|fire,rescue,brave,safety,water,smoke
蜡烛|光,火,蜡,亮,生日,燃|candles|light,flame,wax,bright,burn,warm
蜗牛|慢,壳,爬,雨,动物,叶|snails|slow,shell,crawl,rain,animal,leaf
日记|写,每天,记录,心情,回忆,本|diaries|write,days,record,feelings,memories,notes`,
};

export const TOPICS: readonly Topic[] = Object.entries(LINES).flatMap(([part, lines]) =>
  lines.split('\n').map((line): Topic => {
    const [zh, zhWords, en, enWords] = line.split('|');
    return {
      id: en.replace(/^the /, '').replaceAll(' ', '-'),
      part: part as Part,
      name: { zh, en },
      words: { zh: zhWords.split(','), en: enWords.split(',') },
    };
  }),
);
